// Renders a form: sections, fields with their rules, errors and controls, and a summary with links at the top.
import {limits} from '../../contract/vocabulary.ts'
import {type Field, type List, type Node, type Section} from '../../forms/fields.ts'
import {countryChoices} from '../../values/countries.ts'
import {endSentence, joinSentences} from '../../values/text.ts'
import {toWords} from '../../web/format.ts'
import {type Attributes, type Content, type Html, attributes, html} from '../../web/html.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {dropPrefix, keptPrefix, listItems, otherPrefix, otherValue, referToFile} from './form-values.ts'
import {itemsMax} from './posted-form.ts'

// The class of a field that only one kind of document has.
const documentClasses = {GOVERNMENT_ID: 'for-id', PROOF_OF_ADDRESS: 'for-proof'} as const

const joinRemarks = (remarks: readonly Remark[] = []) => joinSentences(remarks.map(({message}) => message))

// What stands between the label of a field and its control. The control refers to each by its id.
const listNotes = ({path, rules}: Field, {problems, issues}: FormView) =>
  [
    {kind: 'hint', text: joinSentences(rules)},
    {kind: 'issue', text: joinRemarks(issues.get(path))},
    {kind: 'error', text: joinRemarks(problems.get(path))},
  ]
    .filter(({text}) => text !== '')
    .map((note) => ({...note, id: `${toElementId(path)}-${note.kind}`}))

const describeByNotes = (field: Field, view: FormView): string | undefined =>
  listNotes(field, view)
    .map(({id}) => id)
    .join(' ') || undefined

const renderOptionalMark = ({isRequired}: Field) => !isRequired && html` <span class="optional">(optional)</span>`

function renderField(field: Field, view: FormView): Html {
  const {path, label, only} = field
  const id = toElementId(path)
  const isWrong = view.problems.has(path)
  const names = ['field', only && documentClasses[only], isWrong && 'has-error', view.issues.has(path) && 'has-issue']
    .filter(Boolean)
    .join(' ')
  const notes = listNotes(field, view).map(
    ({kind, id: note, text}) => html`<p class="${kind}" id="${note}">${text}</p> `,
  )
  const inside = html`${notes}${renderControl(field, view)}`
  if (!isGroupField(field)) {
    return html`<div class="${names}"><label for="${id}">${label}${renderOptionalMark(field)}</label> ${inside}</div> `
  }
  const group = {
    class: names,
    id,
    tabindex: '-1',
    'aria-describedby': describeByNotes(field, view),
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

const renderButton = (name: 'add' | 'remove', path: string, target: string, label: Content) =>
  html`<button${attributes({
    class: 'plain',
    name,
    value: path,
    // The next page scrolls to the item.
    formaction: `#${toElementId(target)}`,
  })}>${label}</button>`

function renderList(list: List, view: FormView, depth: number): Html {
  const {path, title, hint, item, createNodes} = list
  const paths = listItems(view.values, path)
  const {length} = paths
  const items = paths.map((at, index) => {
    return html`<fieldset class="item" id="${toElementId(at)}" tabindex="-1">
      <legend>${item} ${index + 1}</legend>
      ${renderNodes(createNodes(at), view, depth + 2)}
      <p class="actions">${renderButton('remove', at, path, html`Remove ${item.toLowerCase()} ${index + 1}`)}</p>
    </fieldset> `
  })
  const adding = `Add ${length === 0 ? 'a' : 'another'} ${item.toLowerCase()}`
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
}

// Focused when the page loads, so that a screen reader starts with it.
export function renderSummary(
  title: string,
  remarks: readonly Remark[],
  kind: 'errors' | 'corrections' = 'errors',
): Html | undefined {
  if (remarks.length === 0) return undefined
  const items = remarks.map(({message, path}) =>
    path === undefined
      ? html`<li>${endSentence(message)}</li>`
      : html`<li><a href="#${toElementId(path)}">${endSentence(message)}</a></li>`,
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
}

// The form posts to the page's own address, so the link with its token is not written into the page. The hidden first
// button is the one that the Enter key presses; without it, Enter would press "Remove". The server checks what is required, so that
// all problems are shown at once: a browser shows one at a time. Its address has no fragment, so that the summary of the errors gets
// the focus.
export const renderForm = ({nodes, view, csrf, submitLabel}: FormContent): Html =>
  html`<form method="post" action="?" enctype="multipart/form-data" id="form" novalidate>
    <input${attributes({type: 'hidden', name: 'csrf', value: csrf})}>
    <button class="unseen" tabindex="-1" aria-hidden="true">${submitLabel}</button>
    <div id="fields" tabindex="-1">${renderNodes(nodes, view, 0)}</div>
    <p class="actions"><button>${submitLabel}</button></p>
  </form> `

export interface FormView {
  values: Body
  // The files that were sent earlier, by what refers to them.
  earlierFiles: ReadonlyMap<string, string>
  // By the path of their field: errors in the input, and issues that verification found.
  problems: ReadonlyMap<string, readonly Remark[]>
  issues: ReadonlyMap<string, readonly Remark[]>
}

// The texts of a value, as its control shows them.
const listTexts = (values: Body, path: string): string[] =>
  [getValue(values, path) ?? []].flat().map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))

const getText = (values: Body, path: string): string => listTexts(values, path)[0] ?? ''

// The codes of a field that are in its list, and those that are not.
function splitCodes({path, values = []}: Field, entered: Body): [listed: string[], others: string[]] {
  const codes = listTexts(entered, path)
  return [codes.filter((code) => values.includes(code)), codes.filter((code) => !values.includes(code))]
}

const toElementId = (path: string) => path.replaceAll(/[[\].:]+/g, '-').replace(/-$/, '')

const getCommonAttributes = (field: Field, view: FormView): Attributes => ({
  id: toElementId(field.path),
  name: field.path,
  required: field.isRequired,
  autocomplete: field.autocomplete,
  'aria-invalid': view.problems.has(field.path) ? 'true' : undefined,
  'aria-describedby': describeByNotes(field, view),
})

type ControlRenderer = (field: Field, view: FormView) => Html

const createInput =
  (type: string, more: Attributes = {}): ControlRenderer =>
  (field, view) =>
    html`<input${attributes({
      type,
      ...getCommonAttributes(field, view),
      ...more,
      value: getText(view.values, field.path),
    })}>`

const isoDate = /^(?:\d{4}-\d\d-\d\d)?$/

const renderTextarea: ControlRenderer = (field, view) => {
  const rows = 3
  return html`<textarea${attributes({...getCommonAttributes(field, view), rows})}>
${listTexts(view.values, field.path).join('\n')}</textarea>`
}

const renderOption = (value: string, label: string, chosen: string) =>
  html`<option${attributes({value, selected: value === chosen})}>${label}</option>`

const nothingChosen = 'Choose…'

function renderSelect(
  field: Field,
  view: FormView,
  options: readonly {value: string; name: string}[],
  chosen = getText(view.values, field.path),
): Html {
  const isListed = chosen === '' || options.some(({value}) => value === chosen)
  return html`<select${attributes(getCommonAttributes(field, view))}>${renderOption('', nothingChosen, chosen)}${options.map(
    ({value, name}) => renderOption(value, name, chosen),
  )}${!isListed && renderOption(chosen, chosen, chosen)}</select>`
}

const listOptions = ({values = []}: Field) => values.map((value) => ({value, name: toWords(value)}))

const renderOther = ({path, label}: Field, value: string, hint: string) => {
  const name = otherPrefix + path
  return html`<div class="other"><label for="${toElementId(name)}">${hint}<span class="unseen"> for ${label}</span></label>
<input${attributes({type: 'text', id: toElementId(name), name, value})}></div>`
}

const renderCoded: ControlRenderer = (field, view) => {
  const [[listed = ''], [other = '']] = splitCodes(field, view.values)
  const options = [...listOptions(field), {value: otherValue, name: 'Other'}]
  return html`${renderSelect(field, view, options, other === '' ? listed : otherValue)}${renderOther(field, other, 'Other')}`
}

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
  const [chosen, others] = splitCodes(field, view.values)
  return html`<div class="choices stacked">
      ${listOptions(field).map(({value, name}) => renderChoice('checkbox', field, value, name, chosen.includes(value)))}
    </div>
    ${renderOther(field, others.join(', '), 'Others, separated by commas')}`
}

// A page with a larger file could not be sent again: it has to be chosen once more.
const carriedLengthMax = limits.requestBytesMax / 4

function renderKeptFile({path}: Field, reference: string, isEarlier: boolean): Html {
  const drop = dropPrefix + path
  return html`<div class="kept">
<input${attributes({type: 'hidden', name: keptPrefix + path, value: reference})}>
<p>${isEarlier ? 'The file that you sent earlier is kept.' : 'The file that you chose is kept.'} Choose another one to replace it.</p>
<label class="drop"><input${attributes({type: 'checkbox', name: drop, id: toElementId(drop), value: 'yes'})}> Remove this file</label>
</div>`
}

// A file with a problem has to be replaced.
const renderFile: ControlRenderer = (field, view) => {
  const uri = view.problems.has(field.path) ? '' : getText(view.values, field.path)
  const isEarlier = view.earlierFiles.has(referToFile(uri))
  const isKept = isEarlier || (uri !== '' && uri.length <= carriedLengthMax)
  return html`${isKept && renderKeptFile(field, isEarlier ? referToFile(uri) : uri, isEarlier)}<input${attributes({
    type: 'file',
    ...getCommonAttributes({...field, isRequired: field.isRequired && !isKept}, view),
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
