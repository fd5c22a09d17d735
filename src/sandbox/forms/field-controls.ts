// Renders the control of each kind of field: inputs, selects, groups of choices, and file uploads.
import {countryChoices} from '../../values/countries.ts'
import {type Attributes, attributes, html, type Html} from '../../web/html.ts'
import {type FormValues, type FormFile, otherPrefix, otherValue, getText} from './form-values.ts'
import type {Field} from './fields.ts'
import {dropName, keptName} from './posted-form.ts'

export interface FormView {
  values: FormValues
  // Messages by the path of their field: errors in the input, and issues that verification found.
  problems: ReadonlyMap<string, readonly string[]>
  issues: ReadonlyMap<string, readonly string[]>
  fileAddress: (reference: string) => string
}

export const toElementId = (path: string) => path.replaceAll(/[[\].:]+/g, '-').replace(/-$/, '')

// SELF_EMPLOYED becomes "Self employed"; numbers and other words are left unchanged.
function toWords(code: string): string {
  const words = code.replaceAll('_', ' ')
  if (!/^[A-Z][A-Z\d ]*$/.test(words) || /^[A-Z]{2,3}$/.test(words)) return words
  return (
    words.charAt(0) +
    words
      .slice(1)
      .toLowerCase()
      .replace(/\bid\b/, 'ID')
  )
}

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

const controls: Readonly<Record<Field['kind'], ControlRenderer>> = {
  text: createInput('text'),
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

export const renderControl: ControlRenderer = (field, view) => controls[field.kind](field, view)

// A group of controls has a legend instead of a label.
export const isGroupField = ({kind}: Field) => kind === 'yes-no' || kind === 'several-coded'
