// The fields of what can be done on the console: how they look, and what is read from them.
import {ControlError} from '../control-error.ts'
import {attributes, html, type Html} from '../pages/html.ts'

export interface ActionField {
  // As the flag or the argument of the command is called.
  name: string
  label: string
  // A box that is ticked or not, one of several values, or otherwise a text.
  isFlag?: boolean
  choices?: readonly string[]
  isRequired?: boolean
  // What a text must look like, and how that is said.
  pattern?: RegExp
  rule?: string
  // What is chosen on the page and stands in the field from the start.
  fromSelection?: 'customer' | 'account' | 'transaction'
}

// What was typed and chosen, by the name of the field; what is empty is not there.
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

function checkField({label, choices, pattern, rule, isRequired: isWanted}: ActionField, text: string | undefined) {
  if (text === undefined) return isWanted ? `${label} is missing` : undefined
  if (choices && !choices.includes(text)) return `${label} is none of ${choices.join(', ')}`
  if (pattern && !pattern.test(text)) return `${label} does not fit: ${rule}`
  return undefined
}

// Only what the fields ask for is taken from what was sent.
export function readInput(fields: readonly ActionField[], sent: URLSearchParams): ActionInput {
  return Object.fromEntries(fields.map(({name}) => [name, sent.get(name)?.trim() || undefined]))
}

export function checkInput(fields: readonly ActionField[], input: ActionInput) {
  const problems = fields.map((field) => checkField(field, input[field.name])).filter((text) => text !== undefined)
  if (problems.length > 0) throw new ControlError(problems.join('. '))
}

const emptyChoice = '—'

function renderControl(
  {name, label, choices, pattern, rule, isRequired: isWanted, isFlag}: ActionField,
  id: string,
  value: string,
) {
  if (isFlag) {
    return html`<label class="tick" for="${id}"
      ><input${attributes({type: 'checkbox', id, name, value: 'yes', checked: value === 'yes'})} /> ${label}</label
    >`
  }
  const heading = html`<label for="${id}"
    >${label}${!isWanted && html` <span class="optional">(optional)</span>`}</label
  >`
  if (choices) {
    const all = isWanted ? choices : ['', ...choices]
    return html`${heading}<select${attributes({id, name, required: isWanted})}>
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
      required: isWanted,
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
