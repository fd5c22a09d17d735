// The fields of the console's actions: how they are rendered, read and checked.
import {ControlError} from '../operations/control-error.ts'
import {attributes, html, type Html} from '../../web/html.ts'

export interface ActionField {
  // The name of the flag or argument of the command.
  name: string
  label: string
  // A checkbox, a choice, or otherwise a text field.
  isFlag?: boolean
  choices?: readonly string[]
  isRequired?: boolean
  // What a text must match, and how that is described.
  pattern?: RegExp
  rule?: string
  // Filled in with the selected item.
  fromSelection?: 'customer' | 'account' | 'transaction'
}

// Values by field name. Empty fields are undefined.
export type ActionInput = Readonly<Record<string, string | undefined>>

const unitsMs: Readonly<Record<string, number>> = {ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000}

export const durationPattern = /^\d{1,9}(\.\d{1,3})?(ms|s|m|h|d)?$/
export const durationRule = 'such as 30s, 5m, 2h or 7d'

// A bare number is seconds, as on the command line.
export function parseDurationMs(text: string, msMax = Number.MAX_SAFE_INTEGER): number {
  const [, number, unit = 's'] = /^([\d.]+)([a-z]+)?$/.exec(text) ?? []
  const ms = Math.round(Number(number) * (unitsMs[unit] ?? Number.NaN))
  if (ms <= msMax) return ms
  throw new ControlError(`"${text}" is too long`)
}

export const parseNumber = (text: string | undefined) => (text === undefined ? undefined : Number(text))

function checkField({label, choices, pattern, rule, isRequired}: ActionField, text: string | undefined) {
  if (text === undefined) return isRequired ? `${label} is missing` : undefined
  if (choices && !choices.includes(text)) return `${label} must be one of ${choices.join(', ')}`
  if (pattern && !pattern.test(text)) return `${label} is not valid: ${rule}`
  return undefined
}

// Ignores everything that is not a field of the action.
export function readInput(fields: readonly ActionField[], posted: URLSearchParams): ActionInput {
  return Object.fromEntries(fields.map(({name}) => [name, posted.get(name)?.trim() || undefined]))
}

export function checkInput(fields: readonly ActionField[], input: ActionInput) {
  const problems = fields.map((field) => checkField(field, input[field.name])).filter((text) => text !== undefined)
  if (problems.length > 0) throw new ControlError(problems.join('. '))
}

const emptyChoice = '—'

function renderControl(
  {name, label, choices, pattern, rule, isRequired, isFlag}: ActionField,
  id: string,
  value: string,
) {
  if (isFlag) {
    return html`<label class="tick" for="${id}"
      ><input${attributes({type: 'checkbox', id, name, value: 'yes', checked: value === 'yes'})} /> ${label}</label
    >`
  }
  const heading = html`<label for="${id}"
    >${label}${!isRequired && html` <span class="optional">(optional)</span>`}</label
  >`
  if (choices) {
    const all = isRequired ? choices : ['', ...choices]
    return html`${heading}<select${attributes({id, name, required: isRequired})}>
        ${all.map(
          (choice) =>
            html`<option${attributes({value: choice, selected: choice === value})}>${choice || emptyChoice}</option>`,
        )}
      </select>`
  }
  const hint = rule && html`<span class="hint" id="${id}-rule">${rule}</span>`
  return html`${heading}<input${attributes({
      type: 'text',
      id,
      name,
      value,
      required: isRequired,
      pattern: pattern?.source,
      title: pattern && rule,
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-describedby': rule && `${id}-rule`,
    })} />${hint}`
}

export const renderField = (field: ActionField, actionId: string, value = ''): Html =>
  html`<div class="${field.isFlag ? 'box' : 'box typed'}">
    ${renderControl(field, `${actionId}-${field.name}`, value)}
  </div>`
