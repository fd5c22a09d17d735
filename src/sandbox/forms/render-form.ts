// Renders a form: sections, fields with their rules, errors and controls, a summary with links at the top, and what steps add: the
// progress, the buttons, and the values of the steps that are not shown.
import {countryChoices} from '../../values/countries.ts'
import {endSentence} from '../../values/text.ts'
import {toWords} from '../../web/format.ts'
import {type Attributes, type Content, type Html, attributes, html} from '../../web/html.ts'
import {type Field, type List, type Node, type Section} from '../../forms/fields.ts'
import {
  type FormFile,
  type FormValues,
  countItems,
  getText,
  isBlank,
  itemsMax,
  otherPrefix,
  otherValue,
} from './form-values.ts'
import {dropName, keptName} from './posted-form.ts'
import {type Step, type StepView, findMissingFields, formatStepView, isHiddenName, isShown} from './steps.ts'

// The class of a field that only one kind of document has.
const documentClasses = {GOVERNMENT_ID: 'for-id', PROOF_OF_ADDRESS: 'for-proof'} as const

const joinSentences = (texts: readonly string[] = []) => texts.map(endSentence).join(' ')

// All three elements are always present, so that a control can refer to them and the script can fill them in.
function renderNotes({path, rules}: Field, {problems, issues}: FormView): Html {
  const id = toElementId(path)
  const hint = joinSentences(rules)
  const issue = joinSentences(issues.get(path))
  const error = joinSentences(problems.get(path))
  return html`<p class="hint" id="${id}-hint">${hint}</p>
    <p class="issue" id="${id}-issue">${issue}</p>
    <p class="wrong" id="${id}-error" ${attributes({hidden: error === ''})}>${error}</p>`
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
    // A group cannot carry aria-invalid, so its description announces the error.
    'aria-describedby': `${id}-hint ${id}-issue ${id}-error`,
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
  steps: readonly Step[]
  shown: StepView
}

// The form posts to the page's own address, so the link with its token is not written into the page. The hidden first
// button is the one that the Enter key presses; without it, Enter would press "Remove".
// In steps, the server checks what is required, so that it can show all problems at once. A browser shows one at a time.
export function renderForm({nodes, view, csrf, submitLabel, steps, shown}: FormContent): Html {
  const shownNodes = steps.length === 0 ? nodes : nodes.filter((_, index) => isShown(shown, index))
  const form = {
    method: 'post',
    // Without a fragment: a browser scrolls to it once more when everything has loaded, and a button that is pressed at that
    // moment moves away and is not clicked. The summary of the errors takes the focus by itself.
    action: `?step=${encodeURIComponent(formatStepView(shown))}`,
    enctype: 'multipart/form-data',
    id: 'form',
    novalidate: shown.is !== 'all',
  }
  return html`<form${attributes(form)}>
<input${attributes({type: 'hidden', name: 'csrf', value: csrf})}>
<input${attributes({type: 'hidden', name: 'step', value: formatStepView(shown)})}>
${renderMainButton(steps, shown, submitLabel, true)}
${renderProgress(steps, shown, view.values)}${renderHiddenValues(view.values, steps, shown)}
<div id="fields" tabindex="-1">
${renderNodes(shownNodes, view, 0)}</div>
<p class="actions">${renderMainButton(steps, shown, submitLabel, false)} ${renderOtherButtons(steps, shown)}</p>
</form>
`
}

// Whether something is entered in the step, and nothing is missing.
const isDone = ({node}: Step, values: FormValues) =>
  !isBlank(values, [node]) && findMissingFields([node], values).length === 0

// Moving between steps saves what is entered, and does not require it to be complete.
const renderGo = (target: number | 'all', content: Html | string, more: Record<string, string | undefined> = {}) =>
  html`<button${attributes({name: 'go', value: String(target), formnovalidate: true, ...more})}>${content}</button>`

function renderStep(step: Step, index: number, view: StepView, values: FormValues): Html {
  const isCurrent = view.is === 'step' && view.index === index
  const mark = isDone(step, values) ? '✓' : String(index + 1)
  const content = html`<span class="mark" aria-hidden="true">${mark}</span
    ><span class="name"
      ><span class="unseen">Step ${index + 1}${mark === '✓' && ', complete'}: </span>${step.title}</span
    >`
  return html`<li>
    ${renderGo(index + 1, content, {class: 'step', 'aria-current': isCurrent ? 'step' : undefined})}
  </li> `
}

function renderProgress(steps: readonly Step[], view: StepView, values: FormValues): Html | undefined {
  if (steps.length === 0) return undefined
  const count = steps.length
  const done = steps.filter((step) => isDone(step, values)).length
  const position =
    view.is === 'step' ? `Step ${view.index + 1} of ${count}, ${done} complete` : `${done} of ${count} steps complete`
  return html`<nav class="progress" aria-label="Progress">
    <p>${position}</p>
    <progress${attributes({value: done, max: count, 'aria-label': 'Steps complete'})}></progress>
    <ol>
      ${steps.map((step, index) => renderStep(step, index, view, values))}
    </ol>
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
  const status = html`<span class="save-status" id="save-status" role="status"></span>`
  return html`${back} ${save} ${other} ${status}`
}

export interface FormView {
  values: FormValues
  // Messages by the path of their field: errors in the input, and issues that verification found.
  problems: ReadonlyMap<string, readonly string[]>
  issues: ReadonlyMap<string, readonly string[]>
  fileAddress: (reference: string) => string
}

const toElementId = (path: string) => path.replaceAll(/[[\].:]+/g, '-').replace(/-$/, '')

// A field that only some documents have may be hidden, and a browser refuses to submit a form in which a hidden field is
// `required`. The script checks those by data-required.
const getCommonAttributes = ({path, isRequired, autocomplete, only}: Field, view: FormView): Attributes => {
  const id = toElementId(path)
  return {
    id,
    name: path,
    required: isRequired && only === undefined,
    'data-required': isRequired && only !== undefined,
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
