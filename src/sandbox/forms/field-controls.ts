// The control of each kind of field: what a person types into, chooses from, or puts a file in.
import {countryChoices} from '../../validation/country.ts'
import {type Attributes, attributes, html, type Html} from '../pages/html.ts'
import {type FormValues, type FormFile, otherPrefix, otherValue, getText} from './form-values.ts'
import type {Field} from './fields.ts'
import {dropName, keptName} from './posted-form.ts'

// Everything that decides how the fields look at one moment.
export interface FormView {
  values: FormValues
  // By path: what is wrong with what was typed, and what verification said about it.
  problems: ReadonlyMap<string, readonly string[]>
  issues: ReadonlyMap<string, readonly string[]>
  fileAddress: (reference: string) => string
}

export const toElementId = (path: string) => path.replaceAll(/[[\].:]+/g, '-').replace(/-$/, '')

// SELF_EMPLOYED becomes Self employed; numbers and other words stay as they are.
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

// What every control of a field has in common.
// A field that only some documents have may be out of sight, and a browser cannot ask for what it does not show.
const getCommonAttributes = ({path, isRequired: isWanted, autocomplete, only}: Field, view: FormView): Attributes => {
  const id = toElementId(path)
  return {
    id,
    name: path,
    required: isWanted && only === undefined,
    'data-wanted': isWanted && only !== undefined,
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

const words: ControlRenderer = (field, view) => {
  const rows = 3
  return html`<textarea${attributes({...getCommonAttributes(field, view), rows})}>
${(view.values.texts.get(field.path) ?? []).join('\n')}</textarea>`
}

const option = (value: string, label: string, chosen: string) =>
  html`<option${attributes({value, selected: value === chosen})}>${label}</option>`

const nothingChosen = 'Choose…'

function select(field: Field, view: FormView, options: readonly {value: string; name: string}[]): Html {
  const chosen = getText(view.values, field.path)
  const isListed = chosen === '' || options.some(({value}) => value === chosen)
  return html`<select${attributes(getCommonAttributes(field, view))}>${option('', nothingChosen, chosen)}${options.map(
    ({value, name}) => option(value, name, chosen),
  )}${!isListed && option(chosen, chosen, chosen)}</select>`
}

const optionsOf = ({values = []}: Field) => values.map((value) => ({value, name: toWords(value)}))

const other = ({path, label}: Field, {values}: FormView, hint: string) => {
  const name = otherPrefix + path
  return html`<div class="other"><label for="${toElementId(name)}">${hint}<span class="unseen"> for ${label}</span></label>
<input${attributes({type: 'text', id: toElementId(name), name, value: getText(values, name)})}></div>`
}

const coded: ControlRenderer = (field, view) =>
  html`${select(field, view, [
    ...optionsOf(field),
    {value: otherValue, name: 'Something else'},
  ])}${other(field, view, 'Something else')}`

// One of a group of boxes or buttons. The group as a whole has the name and the rules.
const choice = (type: string, {path}: Field, value: string, label: string, isChosen: boolean) =>
  html`<label><input${attributes({type, name: path, value, checked: isChosen, id: toElementId(`${path}.${value}`)})}> ${label}</label>`

const yesNo: ControlRenderer = (field, {values}) => {
  const chosen = getText(values, field.path)
  return html`<div class="choices">
    ${choice('radio', field, 'true', 'Yes', chosen === 'true')}${choice(
      'radio',
      field,
      'false',
      'No',
      chosen === 'false',
    )}
  </div>`
}

const several: ControlRenderer = (field, view) => {
  const chosen = view.values.texts.get(field.path) ?? []
  return html`<div class="choices stacked">
      ${optionsOf(field).map(({value, name}) => choice('checkbox', field, value, name, chosen.includes(value)))}
    </div>
    ${other(field, view, 'Others, separated by commas')}`
}

const kilobyte = 1024

const sizeOf = (bytes: number) =>
  bytes < kilobyte * kilobyte ? `${Math.round(bytes / kilobyte)} KB` : `${(bytes / kilobyte / kilobyte).toFixed(1)} MB`

function kept({path, label}: Field, {reference, name, type, bytes}: FormFile, {fileAddress}: FormView) {
  if (reference === undefined) return undefined
  const address = fileAddress(reference)
  const shown = type.startsWith('image/')
    ? html`<a href="${address}" target="_blank" rel="noopener"><img src="${address}" alt="${label}: ${name}" /></a>`
    : html`<a href="${address}">Open ${name}</a>`
  const drop = dropName(path)
  return html`<div class="kept">
<input${attributes({type: 'hidden', name: keptName(path), value: reference})}>
${shown}
<p>${name}, ${sizeOf(bytes)}. Choose another file to replace it.</p>
<label class="drop"><input${attributes({type: 'checkbox', name: drop, id: toElementId(drop), value: 'yes'})}> Leave it out</label>
</div>`
}

const file: ControlRenderer = (field, view) => {
  const entry = view.values.files.get(field.path)
  const held = entry?.reference === undefined ? undefined : entry
  const common = getCommonAttributes({...field, isRequired: field.isRequired && !held}, view)
  return html`${held && kept(field, held, view)}<input${attributes({
    type: 'file',
    ...common,
    accept: 'image/jpeg,image/png,application/pdf',
  })}>`
}

const controls: Readonly<Record<Field['kind'], ControlRenderer>> = {
  text: createInput('text'),
  words,
  lines: words,
  phone: createInput('tel', {inputmode: 'tel'}),
  email: createInput('email', {inputmode: 'email'}),
  number: createInput('text', {inputmode: 'decimal'}),
  // A browser shows nothing for a date that is none, and what was typed would be lost.
  date: (field, view) => createInput(isoDate.test(getText(view.values, field.path)) ? 'date' : 'text')(field, view),
  'yes-no': yesNo,
  country: (field, view) => select(field, view, countryChoices),
  'one-of': (field, view) => select(field, view, optionsOf(field)),
  coded,
  'several-coded': several,
  file,
}

export const renderControl: ControlRenderer = (field, view) => controls[field.kind](field, view)

// Kinds whose control is a group, which has a legend and no label.
export const isGroupField = ({kind}: Field) => kind === 'yes-no' || kind === 'several-coded'
