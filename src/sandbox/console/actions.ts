// The actions of the console, made from the operations of the sandbox: their forms, how these are read and checked, and what they do.
import {readDurationMs, secondMs} from '../../values/time.ts'
import {attributes, html, type Html} from '../../web/html.ts'
import {ControlError} from '../operations/control-error.ts'
import type {Controls} from '../operations/controls.ts'
import type {SectionName} from '../operations/define.ts'
import {type Field, type NamedField, nameFields} from '../operations/fields.ts'
import {getOperation, operationNames} from '../operations/operations.ts'
import {idempotencyWords} from '../service/faults/behaviour-table.ts'
import {idempotencyPattern} from '../service/faults/behaviours.ts'

interface ActionField {
  // The name of the flag or argument of the command.
  name: string
  label: string
  isRequired: boolean
  // A checkbox, a choice, or otherwise a text field.
  isFlag: boolean
  choices?: readonly string[] | undefined
  // What a text must match, and how that is described.
  pattern?: RegExp | undefined
  rule?: string | undefined
  // Filled in with the selected item.
  fromSelection?: 'customer' | 'account' | 'transaction' | undefined
  // The field of the operation's input.
  input: string
  definition: Field
}

// Texts by field name. Empty fields are undefined.
export type ActionInput = Readonly<Record<string, string | undefined>>

export interface Action {
  // The command without `svc sandbox`.
  command: string
  section: SectionName
  submitLabel: string
  doneMessage: string
  fields: readonly ActionField[]
  // The label of a button that runs the action without input.
  immediateLabel?: string
  // The label of a checkbox that confirms an action that cannot be undone.
  confirmLabel?: string
  run(controls: Controls, input: ActionInput): unknown
}

// Numbers can be longer on the command line, where nobody waits for a page.
const durationText = {pattern: /^\d{1,9}(\.\d{1,3})?(ms|s|m|h|d)?$/, rule: 'such as 30s, 5m, 2h or 7d'}
const secondsText = {pattern: /^\d{1,7}(s|m|h)?$/, rule: 'such as 30s or 0'}
const signedSecondsText = {pattern: /^-?\d{1,7}(s|m|h)?$/, rule: 'such as 90s, -5m or 0'}
const idempotencyRule = idempotencyWords
  .join(', ')
  .replace('Nm', '30m')
  .replace(/, ([^,]+)$/, ' or $1')

// What a text in the form must match, by the type of the field.
function chooseTextRule({type, isSigned, pattern}: Field): {pattern?: RegExp; rule?: string} {
  if (pattern !== undefined) return {pattern: new RegExp(pattern)}
  if (type === 'duration' || type === 'milliseconds') return durationText
  if (type === 'seconds') return isSigned ? signedSecondsText : secondsText
  if (type === 'count') return {pattern: /^\d{1,9}$/, rule: 'a whole number'}
  if (type === 'share') return {pattern: /^(1|0?\.\d{1,9})$/, rule: 'such as 0.3'}
  return type === 'idempotency' ? {pattern: idempotencyPattern, rule: idempotencyRule} : {}
}

const selectable = (refersTo: Field['refersTo']) =>
  refersTo === 'customer' || refersTo === 'account' || refersTo === 'transaction' ? refersTo : undefined

function toActionField({field: input, name, definition}: NamedField): ActionField[] {
  const {type, label, choices, choiceDefault, isRequired = false, refersTo} = definition
  if (label === undefined) return []
  const textRule = chooseTextRule(definition)
  const others = choices?.filter((choice) => choice !== choiceDefault)
  return [
    {
      name,
      label,
      isRequired: isRequired || choiceDefault !== undefined,
      isFlag: type === 'boolean',
      choices: others && (choiceDefault === undefined ? others : [choiceDefault, ...others]),
      ...textRule,
      rule: definition.rule ?? textRule.rule,
      fromSelection: selectable(refersTo),
      input,
      definition,
    },
  ]
}

const parseDurationMs = (text: string, msMax = Number.MAX_SAFE_INTEGER): number => {
  const ms = readDurationMs(text) ?? Number.NaN
  if (ms <= msMax) return ms
  throw new ControlError(`"${text}" is too long`)
}

// The text of a form as the operation takes it. It has been checked.
function readValue({type, flagMax}: Field, text: string): unknown {
  switch (type) {
    case 'boolean':
      return true
    case 'count':
    case 'share':
      return Number(text)
    case 'milliseconds':
      return parseDurationMs(text, flagMax)
    case 'seconds':
      return (parseDurationMs(text.replace('-', '')) / secondMs) * (text.startsWith('-') ? -1 : 1)
    case 'texts':
      return text.split(/[\s,]+/).filter((each) => each !== '')
    default:
      return text
  }
}

const readValues = (fields: readonly ActionField[], texts: ActionInput) =>
  Object.fromEntries(
    fields.map(({name, input, definition}) => {
      const text = texts[name]
      return [input, text === undefined ? undefined : readValue(definition, text)]
    }),
  )

function createActions(): Action[] {
  return operationNames.flatMap((name) => {
    const operation = getOperation(name)
    const {form, section, input} = operation
    if (!form || section === undefined) return []
    const all = nameFields(input).flatMap(toActionField)
    // Checkboxes come last.
    const fields = [...all.filter(({isFlag}) => !isFlag), ...all.filter(({isFlag}) => isFlag)]
    const command = name.replaceAll('.', ' ')
    return [
      {
        ...form,
        command,
        section,
        fields,
        run: (controls, texts) => operation.run(controls, readValues(fields, texts)),
      },
    ]
  })
}

export const actions: readonly Action[] = createActions()

// The commands that only show something, and the section of the console that shows it.
export const viewSections: Readonly<Record<string, SectionName>> = Object.fromEntries(
  operationNames.flatMap((name) => {
    const {isRead, section} = getOperation(name)
    return isRead && section !== undefined ? [[name.replaceAll('.', ' '), section]] : []
  }),
)

export const toActionId = ({command}: Action) => command.replaceAll(' ', '-')

export const findAction = (id: string) => actions.find((action) => toActionId(action) === id)

export const confirmName = 'confirm'

function checkField({label, choices, pattern, rule, isRequired, definition}: ActionField, text: string | undefined) {
  if (text === undefined) return isRequired ? `${label} is missing` : undefined
  if (choices && !choices.includes(text)) return `${label} must be one of ${choices.join(', ')}`
  const {type, min = 0, max = Number.MAX_SAFE_INTEGER} = definition
  const isInRange = type !== 'count' || (Number(text) >= min && Number(text) <= max)
  return (pattern && !pattern.test(text)) || !isInRange ? `${label} is not valid: ${rule}` : undefined
}

// Ignores everything that is not a field of the action.
export function readInput(fields: readonly ActionField[], posted: URLSearchParams): ActionInput {
  return Object.fromEntries(fields.map(({name}) => [name, posted.get(name)?.trim() || undefined]))
}

export async function runAction(
  action: Action,
  controls: Controls,
  input: ActionInput,
  isConfirmed: boolean,
): Promise<void> {
  if (action.confirmLabel !== undefined && !isConfirmed)
    throw new ControlError(`Confirm "${action.confirmLabel}" first`)
  const problems = action.fields
    .map((field) => checkField(field, input[field.name]))
    .filter((text) => text !== undefined)
  if (problems.length > 0) throw new ControlError(problems.join('. '))
  await action.run(controls, input)
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
  html`<div class="${field.isFlag ? 'field' : 'field typed'}">
    ${renderControl(field, `${actionId}-${field.name}`, value)}
  </div>`
