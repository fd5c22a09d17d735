// Renders a form: sections, fields with their rules, errors and controls, a summary with links at the top, and what steps add: the
// progress, the buttons, and the values of the steps that are not shown.
import {countryChoices} from '../../values/countries.ts'
import {endSentence} from '../../values/text.ts'
import {formatUtcTime, toIso} from '../../values/time.ts'
import {toWords} from '../../web/format.ts'
import {type Attributes, type Content, type Html, attributes, html} from '../../web/html.ts'
import {type Field, type List, type Node, type Section} from '../../forms/fields.ts'
import {type FormFile, type FormValues, countItems, getText, itemsMax, otherPrefix, otherValue} from './form-values.ts'
import {dropName, keptName} from './posted-form.ts'
import {type Step, type StepState, type StepView, formatStepView, isHiddenName, isShown} from './steps.ts'
import {describeMissing, describeSubject} from './sentences.ts'

// The class of a field that only one kind of document has.
const documentClasses = {GOVERNMENT_ID: 'for-id', PROOF_OF_ADDRESS: 'for-proof'} as const

const joinSentences = (texts: readonly string[] = []) => texts.map(endSentence).join(' ')

// All three elements are always present, so that a control can refer to them and the script can fill them in.
function renderNotes({path, rules, kind}: Field, {problems, issues}: FormView): Html {
  const id = toElementId(path)
  const hint = joinSentences(rules)
  const issue = joinSentences(issues.get(path))
  const error = joinSentences(problems.get(path))
  // A file is examined while the focus stays where it is, so a screen reader has to be told.
  const state = attributes({hidden: error === '', role: kind === 'file' ? 'alert' : undefined})
  return html`<p class="hint" id="${id}-hint">${hint}</p>
    <p class="issue" id="${id}-issue">${issue}</p>
    <p class="wrong" id="${id}-error" ${state}>${error}</p>`
}

const renderOptionalMark = ({isRequired}: Field) => !isRequired && html` <span class="optional">(optional)</span>`

function renderField(field: Field, view: FormView): Html {
  const {path, label, only} = field
  const id = toElementId(path)
  const isWrong = view.problems.has(path)
  const names = ['field', only && documentClasses[only], isWrong && 'has-error', view.issues.has(path) && 'has-issue']
    .filter(Boolean)
    .join(' ')
  const inside = html`${renderNotes(field, view)} ${renderControl(field, view)}`
  if (!isGroupField(field)) {
    return html`<div class="${names}"><label for="${id}">${label}${renderOptionalMark(field)}</label> ${inside}</div> `
  }
  const group = {
    class: names,
    id,
    tabindex: '-1',
    ...getSentences(field),
    'data-required': field.isRequired,
    'aria-describedby': `${id}-hint ${id}-issue ${id}-error`,
    // A group of checkboxes cannot carry more, so its description announces the error.
    ...(field.kind === 'yes-no' && {
      role: 'radiogroup',
      'aria-required': field.isRequired ? 'true' : undefined,
      'aria-invalid': isWrong ? 'true' : undefined,
    }),
  }
  return html`<fieldset${attributes(group)}><legend>${label}${renderOptionalMark(field)}</legend>
${inside}</fieldset>
`
}

function renderSection({title, hint, nodes}: Section, view: FormView, depth: number): Html {
  return html`<fieldset class="${depth === 0 ? 'card' : 'item'}">
    <legend>${title}</legend>
    ${hint && html`<p class="hint">${hint}</p>`} ${renderNodes(nodes, view, depth + 1)}
  </fieldset> `
}

// Adding or removing an item does not require the form to be complete.
const renderButton = (name: 'add' | 'remove', path: string, target: string, label: Content) =>
  html`<button${attributes({
    class: 'plain',
    name,
    value: path,
    formnovalidate: true,
    // The next page scrolls to the item.
    formaction: `#${toElementId(target)}`,
  })}>${label}</button>`

const withArticle = (noun: string) => `a ${noun.toLowerCase()}`

function renderList(list: List, view: FormView, depth: number): Html {
  const {path, title, hint, item, createNodes} = list
  const length = countItems(view.values, path)
  const items = Array.from({length}, (_, index) => {
    const at = `${path}[${index}]`
    return html`<fieldset class="item" id="${toElementId(at)}" tabindex="-1">
      <legend>${item} ${index + 1}</legend>
      ${renderNodes(createNodes(at), view, depth + 2)}
      <p class="actions">${renderButton('remove', at, path, html`Remove ${item.toLowerCase()} ${index + 1}`)}</p>
    </fieldset> `
  })
  const adding = length === 0 ? `Add ${withArticle(item)}` : `Add another ${item.toLowerCase()}`
  return html`<fieldset class="${depth === 0 ? 'card' : 'item'}" id="${toElementId(path)}" tabindex="-1">
    <legend>${title}</legend>
    ${hint && html`<p class="hint">${hint}</p>`} ${items}
    ${length < itemsMax && html`<p class="actions">${renderButton('add', path, `${path}[${length}]`, adding)}</p>`}
  </fieldset> `
}

function renderNodes(nodes: readonly Node[], view: FormView, depth: number): Html {
  return html`${nodes.map((node) => {
    if (node.is === 'field') return renderField(node, view)
    return node.is === 'section' ? renderSection(node, view, depth) : renderList(node, view, depth)
  })}`
}

// A line of the summary, with the field that it links to.
export interface Remark {
  message: string
  path?: string | undefined
  // Where the field is, if not on this page.
  page?: string | undefined
}

// Focused when the page loads, so that a screen reader starts with it.
export function renderSummary(
  title: string,
  remarks: readonly Remark[],
  kind: 'errors' | 'corrections' = 'errors',
): Html | undefined {
  if (remarks.length === 0) return undefined
  const items = remarks.map(({message, path, page = ''}) =>
    path === undefined
      ? html`<li>${endSentence(message)}</li>`
      : html`<li><a href="${page}#${toElementId(path)}">${endSentence(message)}</a></li>`,
  )
  return html`<section
    class="card summary${kind === 'corrections' && ' corrections'}"
    id="${kind}"
    tabindex="-1"
    ${attributes({
      role: kind === 'errors' ? 'alert' : undefined,
      autofocus: kind === 'errors',
    })}
    aria-labelledby="${kind}-title"
  >
    <h2 id="${kind}-title">${title}</h2>
    <ul>
      ${items}
    </ul>
  </section> `
}

interface FormContent {
  nodes: readonly Node[]
  view: FormView
  csrf: string
  submitLabel: string
  version: string
  steps: readonly Step[]
  // Of each step, whether there is still something to do.
  states: readonly StepState[]
  shown: StepView
  savedAt: number | undefined
}

// The form posts to the page's own address, so the link with its token is not written into the page. The hidden first
// button is the one that the Enter key presses; without it, Enter would press "Remove".
// In steps, the server checks what is required, so that it can show all problems at once. A browser shows one at a time.
export function renderForm(content: FormContent): Html {
  const {nodes, view, csrf, version, submitLabel, steps, states, shown, savedAt} = content
  const shownNodes = steps.length === 0 ? nodes : nodes.filter((_, index) => isShown(shown, index))
  const form = {
    method: 'post',
    // Without a fragment: a browser scrolls to it once more when everything has loaded, and a button that is pressed at that
    // moment moves away and is not clicked. The summary of the errors takes the focus by itself.
    action: `?step=${encodeURIComponent(formatStepView(shown))}`,
    enctype: 'multipart/form-data',
    id: 'form',
    class: steps.length > 0 && 'stepped',
    novalidate: shown.is !== 'all',
  }
  return html`<form${attributes(form)}>
<input${attributes({type: 'hidden', name: 'csrf', value: csrf})}>
<input${attributes({type: 'hidden', name: 'step', value: formatStepView(shown)})}>
<input${attributes({type: 'hidden', name: 'version', value: version})}>
${renderMainButton(steps, shown, submitLabel, true)}
${renderProgress(steps, states, shown)}${renderHiddenValues(view.values, steps, shown)}
<div id="fields" tabindex="-1">
${renderNodes(shownNodes, view, 0)}</div>
<div class="end"><p class="actions">${renderMainButton(steps, shown, submitLabel, false)} ${renderOtherButtons(steps, shown)}</p>
${steps.length > 0 && renderSaveStatus(savedAt)}</div>
</form>
`
}

// Moving between steps saves what is entered, and does not require it to be complete.
const renderGo = (target: number | 'all', content: Html | string, more: Record<string, string | undefined> = {}) =>
  html`<button${attributes({name: 'go', value: String(target), formnovalidate: true, ...more})}>${content}</button>`

function renderStep({title}: Step, index: number, state: StepState | undefined, view: StepView): Html {
  const isCurrent = view.is === 'step' && view.index === index
  const mark = state === 'complete' ? '✓' : String(index + 1)
  const remark = state === 'open' ? '' : `, ${state}`
  const content = html`<span class="mark" aria-hidden="true">${mark}</span
    ><span class="name"
      ><span class="unseen">Step ${index + 1}${remark}: </span>${title}${
        state === 'optional' && html`<span class="optional" aria-hidden="true"> (optional)</span>`
      }</span
    >`
  return html`<li${attributes({'data-state': state})}>
    ${renderGo(index + 1, content, {class: 'step', 'aria-current': isCurrent ? 'step' : undefined})}
  </li> `
}

// Optional steps count once something is entered in them.
function renderProgress(steps: readonly Step[], states: readonly StepState[], view: StepView): Html | undefined {
  if (steps.length === 0) return undefined
  const done = states.filter((state) => state === 'complete').length
  const needed = states.filter((state) => state !== 'optional').length
  const current = view.is === 'step' && steps[view.index]
  return html`<nav class="progress" aria-label="Progress">
    ${current && html`<p class="position">Step ${view.index + 1} of ${steps.length}: <strong>${current.title}</strong></p>`}
    <ol>
      ${steps.map((step, index) => renderStep(step, index, states[index], view))}
    </ol>
    <p class="done">${done} of ${needed} needed steps complete</p>
    <progress${attributes({value: done, max: needed, 'aria-label': 'Needed steps that are complete'})}></progress>
  </nav> `
}

const renderHidden = (name: string, value: string) => html`<input${attributes({type: 'hidden', name, value})}>`

function renderHiddenValues({texts, files}: FormValues, steps: readonly Step[], view: StepView): Html {
  const hiddenTexts = [...texts].filter(([name]) => isHiddenName(name, steps, view))
  const hiddenFiles = [...files].filter(([path]) => isHiddenName(path, steps, view))
  return html`${hiddenTexts.flatMap(([name, values]) =>
    values.filter((value) => value !== '').map((value) => renderHidden(name, value)),
  )}${hiddenFiles.map(([path, {reference}]) => reference !== undefined && renderHidden(keptName(path), reference))}`
}

// The button of the Enter key, and the main button at the end.
function renderMainButton(steps: readonly Step[], view: StepView, submitLabel: string, isUnseen: boolean): Html {
  const next = view.is === 'step' ? steps[view.index + 1] : undefined
  const target = view.is === 'step' ? view.index + 2 : 0
  const unseen = isUnseen ? {class: 'unseen', tabindex: '-1', 'aria-hidden': 'true'} : {}
  return next
    ? html`<button${attributes({...unseen, name: 'next', value: target})}>Next: ${next.title}</button>`
    : html`<button${attributes(unseen)}>${submitLabel}</button>`
}

function renderOtherButtons(steps: readonly Step[], view: StepView): Html | undefined {
  if (steps.length === 0) return undefined
  const save = html`<button${attributes({class: 'plain', name: 'save', value: 1, formnovalidate: true})}>Save for later</button>`
  const isFirst = view.is !== 'step' || view.index === 0
  const back = !isFirst && renderGo(view.index, 'Back', {class: 'plain'})
  const other =
    view.is === 'step'
      ? renderGo('all', 'Show everything on one page', {class: 'link'})
      : renderGo(1, 'Show it step by step', {class: 'link'})
  return html`${back} ${save} ${other}`
}

// The script shows the time as the clock of the user does, and the time of what it saves itself.
const renderSaveStatus = (savedAt: number | undefined) =>
  html`<p class="save-status">
    <span id="save-status" role="status"
      >${savedAt !== undefined && html`Saved on <time datetime="${toIso(savedAt)}">${formatUtcTime(savedAt)}</time>.`}</span
    >
    What is saved comes back when you reload this page or open its link on another device. Files are saved when you go
    on.
  </p>`

export interface FormView {
  values: FormValues
  // Messages by the path of their field: errors in the input, and issues that verification found.
  problems: ReadonlyMap<string, readonly string[]>
  issues: ReadonlyMap<string, readonly string[]>
  fileAddress: (reference: string) => string
}

const toElementId = (path: string) => path.replaceAll(/[[\].:]+/g, '-').replace(/-$/, '')

// What the script says when the field is missing, and how its other sentences begin.
const getSentences = (field: Field): Attributes => ({
  'data-missing': endSentence(describeMissing(field)),
  'data-subject': describeSubject(field),
})

// A field that only some documents have may be hidden, and a browser refuses to submit a form in which a hidden field is
// `required`. The script checks those by data-required.
const getCommonAttributes = (field: Field, view: FormView): Attributes => {
  const {path, isRequired, autocomplete, only} = field
  const id = toElementId(path)
  return {
    id,
    name: path,
    required: isRequired && only === undefined,
    'data-required': isRequired && only !== undefined,
    ...getSentences(field),
    autocomplete,
    'aria-invalid': view.problems.has(path) ? 'true' : undefined,
    'aria-describedby': `${id}-hint ${id}-issue ${id}-error`,
  }
}

type ControlRenderer = (field: Field, view: FormView) => Html

const createInput =
  (type: string, more: Attributes = {}): ControlRenderer =>
  (field, view) =>
    html`<input${attributes({
      type,
      ...getCommonAttributes(field, view),
      ...more,
      minlength: field.lengthMin,
      value: getText(view.values, field.path),
    })}>`

const isoDate = /^(?:\d{4}-\d\d-\d\d)?$/

const renderTextarea: ControlRenderer = (field, view) => {
  const rows = 3
  return html`<textarea${attributes({...getCommonAttributes(field, view), rows})}>
${(view.values.texts.get(field.path) ?? []).join('\n')}</textarea>`
}

const renderOption = (value: string, label: string, chosen: string) =>
  html`<option${attributes({value, selected: value === chosen})}>${label}</option>`

const nothingChosen = 'Choose…'

function renderSelect(field: Field, view: FormView, options: readonly {value: string; name: string}[]): Html {
  const chosen = getText(view.values, field.path)
  const isListed = chosen === '' || options.some(({value}) => value === chosen)
  return html`<select${attributes(getCommonAttributes(field, view))}>${renderOption('', nothingChosen, chosen)}${options.map(
    ({value, name}) => renderOption(value, name, chosen),
  )}${!isListed && renderOption(chosen, chosen, chosen)}</select>`
}

const listOptions = ({values = []}: Field) => values.map((value) => ({value, name: toWords(value)}))

const renderOther = ({path, label}: Field, {values}: FormView, hint: string) => {
  const name = otherPrefix + path
  return html`<div class="other"><label for="${toElementId(name)}">${hint}<span class="unseen"> for ${label}</span></label>
<input${attributes({type: 'text', id: toElementId(name), name, value: getText(values, name)})}></div>`
}

const renderCoded: ControlRenderer = (field, view) =>
  html`${renderSelect(field, view, [
    ...listOptions(field),
    {value: otherValue, name: 'Other'},
  ])}${renderOther(field, view, 'Other')}`

// One checkbox or radio button of a group. The label and the rules belong to the group.
const renderChoice = (type: string, {path}: Field, value: string, label: string, isChosen: boolean) =>
  html`<label><input${attributes({type, name: path, value, checked: isChosen, id: toElementId(`${path}.${value}`)})}> ${label}</label>`

const renderYesNo: ControlRenderer = (field, {values}) => {
  const chosen = getText(values, field.path)
  return html`<div class="choices">
    ${renderChoice('radio', field, 'true', 'Yes', chosen === 'true')}
    ${renderChoice('radio', field, 'false', 'No', chosen === 'false')}
  </div>`
}

const renderSeveralCoded: ControlRenderer = (field, view) => {
  const chosen = view.values.texts.get(field.path) ?? []
  return html`<div class="choices stacked">
      ${listOptions(field).map(({value, name}) => renderChoice('checkbox', field, value, name, chosen.includes(value)))}
    </div>
    ${renderOther(field, view, 'Others, separated by commas')}`
}

const kilobyte = 1024

const formatSize = (bytes: number) =>
  bytes < kilobyte * kilobyte ? `${Math.round(bytes / kilobyte)} KB` : `${(bytes / kilobyte / kilobyte).toFixed(1)} MB`

function renderKeptFile({path, label}: Field, {reference, name, type, bytes}: FormFile, {fileAddress}: FormView) {
  if (reference === undefined) return undefined
  const address = fileAddress(reference)
  const shown = type.startsWith('image/')
    ? html`<a href="${address}" target="_blank" rel="noopener"><img src="${address}" alt="${label}: ${name}" /></a>`
    : html`<a href="${address}">Open ${name}</a>`
  const drop = dropName(path)
  return html`<div class="kept">
<input${attributes({type: 'hidden', name: keptName(path), value: reference})}>
${shown}
<p>${name}, ${formatSize(bytes)}. Choose another file to replace it.</p>
<label class="drop"><input${attributes({type: 'checkbox', name: drop, id: toElementId(drop), value: 'yes'})}> Remove this file</label>
</div>`
}

const renderFile: ControlRenderer = (field, view) => {
  const entry = view.values.files.get(field.path)
  const keptFile = entry?.reference === undefined ? undefined : entry
  const common = getCommonAttributes({...field, isRequired: field.isRequired && !keptFile}, view)
  return html`${keptFile && renderKeptFile(field, keptFile, view)}<input${attributes({
    type: 'file',
    ...common,
    accept: 'image/jpeg,image/png,application/pdf',
  })}>`
}

const controls: Readonly<Partial<Record<Field['kind'], ControlRenderer>>> = {
  words: renderTextarea,
  lines: renderTextarea,
  phone: createInput('tel', {inputmode: 'tel'}),
  email: createInput('email', {inputmode: 'email'}),
  number: createInput('text', {inputmode: 'decimal'}),
  // A date input cannot show an invalid date, and the user's text would be lost.
  date: (field, view) => createInput(isoDate.test(getText(view.values, field.path)) ? 'date' : 'text')(field, view),
  'yes-no': renderYesNo,
  country: (field, view) => renderSelect(field, view, countryChoices),
  'one-of': (field, view) => renderSelect(field, view, listOptions(field)),
  coded: renderCoded,
  'several-coded': renderSeveralCoded,
  file: renderFile,
}

const renderText = createInput('text')

const renderControl: ControlRenderer = (field, view) => (controls[field.kind] ?? renderText)(field, view)

// A group of controls has a legend instead of a label.
const isGroupField = ({kind}: Field) => kind === 'yes-no' || kind === 'several-coded'
