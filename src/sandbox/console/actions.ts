// What an operator of the sandbox can do in the console: move its clock, and decide what becomes of a customer, an account or a
// transaction on the page of each. Each is an operation of control, with some of its fields as a form.
import {capitalize} from '../../values/text.ts'
import type {ActionSubject} from '../../web/console/context.ts'
import {type Html, attributes, html} from '../../web/html.ts'
import type {Controls} from '../operations/controls.ts'
import type {Field} from '../operations/fields.ts'
import {type OperationName, getOperation} from '../operations/operations.ts'
import {runOperation} from '../operations/run-operation.ts'

interface Action {
  operation: OperationName
  // The page that has its form. The field of the operation that finds what the page shows takes its id.
  subject: ActionSubject | 'clock'
  // The other fields that are asked for.
  fields: readonly string[]
  submitLabel: string
  doneMessage: string
}

const createAction = (
  operation: OperationName,
  subject: Action['subject'],
  fields: readonly string[],
  submitLabel: string,
  doneMessage: string,
): Action => ({operation, subject, fields, submitLabel, doneMessage})

export const actions: readonly Action[] = [
  createAction(
    'verify',
    'customer',
    ['outcome', 'codes', 'message'],
    'Force outcome',
    'The outcome of the verification was set.',
  ),
  createAction('fund', 'account', ['amount', 'currency'], 'Deposit money', 'The money has arrived.'),
  createAction('settle', 'transaction', ['outcome'], 'Force outcome', 'The outcome of the transaction was set.'),
  createAction('clock.advance', 'clock', ['duration'], 'Advance the clock', 'The clock was advanced.'),
  createAction('clock.to-next', 'clock', [], 'Advance to the next task', 'The clock was advanced to the next task.'),
  createAction('clock.freeze', 'clock', [], 'Freeze', 'The clock is frozen.'),
  createAction('clock.run', 'clock', [], 'Run', 'The clock is running.'),
]

// As in the command: advance, verify.
export const getActionName = ({operation}: Action) => operation.replace(/^.*\./, '')

export const findAction = (name: string | null, subject: Action['subject']): Action | undefined =>
  actions.find((action) => getActionName(action) === name && action.subject === subject)

interface ActionField extends Field {
  field: string
  // As in the command: code, outcome.
  name: string
}

const listActionFields = ({operation, fields}: Action): ActionField[] =>
  Object.entries(getOperation(operation).input ?? {})
    .filter(([field]) => fields.includes(field))
    .map(([field, definition]) => ({...definition, field, name: definition.flag ?? field}))

// Texts by the name of the field. Empty ones are undefined. Everything that is not a field of the action is ignored.
type ActionInput = Readonly<Record<string, string | undefined>>

export const readInput = (action: Action, posted: URLSearchParams): ActionInput =>
  Object.fromEntries(listActionFields(action).map(({name}) => [name, posted.get(name)?.trim() || undefined]))

export async function runAction(action: Action, controls: Controls, id: string, input: ActionInput): Promise<void> {
  const values = listActionFields(action).map(({field, name, type}) => {
    const text = input[name]
    return [field, type === 'texts' ? text?.split(/[\s,]+/).filter(Boolean) : text]
  })
  const {operation, subject} = action
  const ids = Object.entries(getOperation(operation).input ?? {}).filter(([, {finds}]) => finds === subject)
  await runOperation(controls, operation, Object.fromEntries([...values, ...ids.map(([field]) => [field, id])]))
}

// What was posted and refused, so that it need not be entered again.
export interface Refused {
  action: Action
  input: ActionInput
}

export interface FormSettings {
  csrf: string
  refused?: Refused | undefined
}

function renderField({name, choices, says, isRequired}: ActionField, action: string, value = ''): Html {
  const id = `${action}-${name}`
  const control = choices
    ? html`<select${attributes({id, name, required: isRequired})}>
        ${choices.map((choice) => html`<option${attributes({value: choice, selected: choice === value})}>${choice}</option>`)}
      </select>`
    : html`<input${attributes({type: 'text', id, name, value, required: isRequired, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': `${id}-hint`})} />
        <span class="hint" id="${id}-hint">${says}</span>`
  return html`<div class="field typed">
    <label for="${id}">${capitalize(name)}${!isRequired && html` <span class="optional">(optional)</span>`}</label>
    ${control}
  </div>`
}

// The form posts to the page that it is on.
export function renderActionForm(action: Action, {csrf, refused}: FormSettings): Html {
  const name = getActionName(action)
  const entered = refused?.action === action ? refused.input : {}
  return html`<form id="${name}" method="post" class="act">
    <input${attributes({type: 'hidden', name: 'csrf', value: csrf})} />
    <input${attributes({type: 'hidden', name: 'do', value: name})} />
    ${listActionFields(action).map((field) => renderField(field, name, entered[field.name]))}
    <div class="field"><button class="plain">${action.submitLabel}</button></div>
  </form>`
}

export const renderItemActions = (subject: ActionSubject, settings: FormSettings): Html =>
  html`<section class="card" id="actions">
    <h2>In the sandbox</h2>
    ${actions.filter((action) => action.subject === subject).map((action) => renderActionForm(action, settings))}
  </section>`
