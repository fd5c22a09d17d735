// What an operator of the sandbox can do in the console: move its clock, and decide what becomes of a customer, an account or a
// transaction on the page of each.
import type {ActionSubject} from '../../web/console/context.ts'
import {type Html, attributes, html} from '../../web/html.ts'
import {parseDuration} from '../operations/clock.ts'
import {ControlError} from '../operations/control-error.ts'
import type {Controls} from '../operations/controls.ts'
import {type Outcome, verificationOutcomes} from '../service/customers/outcomes.ts'
import {settlements} from '../service/faults/behaviour-table.ts'

interface ActionField {
  // That of the flag of the command.
  name: string
  label: string
  isRequired?: true
  choices?: readonly string[]
  pattern?: RegExp
  hint?: string
}

// Texts by the name of the field. Empty ones are undefined.
type ActionInput = Readonly<Record<string, string | undefined>>

interface Action {
  name: string
  // The page that has its form.
  subject: ActionSubject | 'clock'
  submitLabel: string
  doneMessage: string
  fields: readonly ActionField[]
  run(controls: Controls, id: string, input: ActionInput): unknown
}

const outcomes = Object.keys(verificationOutcomes)

export const actions: readonly Action[] = [
  {
    name: 'verify',
    subject: 'customer',
    submitLabel: 'Force outcome',
    doneMessage: 'The outcome of the verification was set.',
    fields: [
      {name: 'outcome', label: 'Outcome', choices: outcomes, isRequired: true},
      {name: 'code', label: 'Issue codes', hint: 'for needs-information and rejected, separated by commas'},
      {name: 'message', label: 'Message of the issues'},
    ],
    run: (controls, id, {outcome, code, message}) =>
      controls.verification.force(id, {
        outcome: outcome as Outcome,
        ...(code !== undefined && {codes: code.split(/[\s,]+/).filter(Boolean)}),
        ...(message !== undefined && {message}),
      }),
  },
  {
    name: 'fund',
    subject: 'account',
    submitLabel: 'Deposit money',
    doneMessage: 'The money has arrived.',
    fields: [
      {name: 'amount', label: 'Amount', isRequired: true, pattern: /^\d+(\.\d+)?$/, hint: 'such as 12.50'},
      {name: 'currency', label: 'Currency', hint: 'if the account has several'},
    ],
    run: (controls, id, {amount = '', currency}) => controls.money.fund(id, amount, currency),
  },
  {
    name: 'settle',
    subject: 'transaction',
    submitLabel: 'Force outcome',
    doneMessage: 'The outcome of the transaction was set.',
    fields: [{name: 'outcome', label: 'Outcome', choices: settlements, isRequired: true}],
    run: (controls, id, {outcome}) => controls.money.settle(id, outcome as (typeof settlements)[number]),
  },
  {
    name: 'advance',
    subject: 'clock',
    submitLabel: 'Advance the clock',
    doneMessage: 'The clock was advanced.',
    fields: [
      {
        name: 'duration',
        label: 'Duration',
        isRequired: true,
        pattern: /^\d{1,9}(\.\d{1,3})?(ms|s|m|h|d)?$/,
        hint: 'such as 30s, 5m, 2h or 7d',
      },
    ],
    run: (controls, _, {duration = ''}) => controls.clock.advance(parseDuration(duration)),
  },
  {
    name: 'to-next',
    subject: 'clock',
    submitLabel: 'Advance to the next task',
    doneMessage: 'The clock was advanced to the next task.',
    fields: [],
    run: (controls) => controls.clock.toNext(),
  },
  {
    name: 'freeze',
    subject: 'clock',
    submitLabel: 'Freeze',
    doneMessage: 'The clock is frozen.',
    fields: [],
    run: (controls) => controls.clock.freeze(),
  },
  {
    name: 'run',
    subject: 'clock',
    submitLabel: 'Run',
    doneMessage: 'The clock is running.',
    fields: [],
    run: (controls) => controls.clock.run(),
  },
]

export const findAction = (name: string | null, subject: Action['subject']): Action | undefined =>
  actions.find((action) => action.name === name && action.subject === subject)

function checkField({label, choices, pattern, hint, isRequired}: ActionField, text: string | undefined) {
  if (text === undefined) return isRequired ? `${label} is missing` : undefined
  if (choices && !choices.includes(text)) return `${label} must be one of ${choices.join(', ')}`
  return pattern && !pattern.test(text) ? `${label} is not valid: ${hint}` : undefined
}

// Ignores everything that is not a field of the action.
export const readInput = ({fields}: Action, posted: URLSearchParams): ActionInput =>
  Object.fromEntries(fields.map(({name}) => [name, posted.get(name)?.trim() || undefined]))

export async function runAction(action: Action, controls: Controls, id: string, input: ActionInput): Promise<void> {
  const problems = action.fields
    .map((field) => checkField(field, input[field.name]))
    .filter((text) => text !== undefined)
  if (problems.length > 0) throw new ControlError(problems.join('. '))
  await action.run(controls, id, input)
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

function renderControl({name, choices, pattern, hint, isRequired}: ActionField, id: string, value: string): Html {
  if (choices) {
    return html`<select${attributes({id, name, required: isRequired})}>
      ${choices.map((choice) => html`<option${attributes({value: choice, selected: choice === value})}>${choice}</option>`)}
    </select>`
  }
  const hintId = hint === undefined ? undefined : `${id}-hint`
  const input = {type: 'text', id, name, value, required: isRequired, pattern: pattern?.source, title: pattern && hint}
  return html`<input${attributes({...input, autocomplete: 'off', spellcheck: 'false', 'aria-describedby': hintId})} />
    ${hintId !== undefined && html`<span class="hint" id="${hintId}">${hint}</span>`}`
}

function renderField(field: ActionField, actionName: string, value = ''): Html {
  const id = `${actionName}-${field.name}`
  return html`<div class="field typed">
    <label for="${id}">${field.label}${!field.isRequired && html` <span class="optional">(optional)</span>`}</label>
    ${renderControl(field, id, value)}
  </div>`
}

// The form posts to the page that it is on.
export const renderActionForm = ({name, fields, submitLabel}: Action, {csrf, refused}: FormSettings): Html =>
  html`<form id="${name}" method="post" class="act" data-action>
    <input${attributes({type: 'hidden', name: 'csrf', value: csrf})} />
    <input${attributes({type: 'hidden', name: 'do', value: name})} />
    ${fields.map((field) => renderField(field, name, refused?.action.name === name ? refused.input[field.name] : ''))}
    <div class="field"><button class="plain">${submitLabel}</button></div>
  </form>`

export const renderItemActions = (subject: ActionSubject, settings: FormSettings): Html =>
  html`<section class="card" id="actions">
    <h2>In the sandbox</h2>
    ${actions.filter((action) => action.subject === subject).map((action) => renderActionForm(action, settings))}
  </section>`
