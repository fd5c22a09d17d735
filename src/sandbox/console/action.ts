// What one thing that can be done on the console is made of.
import type {Controls} from '../controls.ts'
import type {ActionField, ActionInput} from './action-fields.ts'

export type SectionName =
  | 'time'
  | 'customers'
  | 'accounts'
  | 'transactions'
  | 'rules'
  | 'webhooks'
  | 'requests'
  | 'faults'
  | 'copies'
  | 'magic'

export interface Action {
  // As it stands after svc sandbox.
  command: string
  section: SectionName
  // The button, and what is said when it is done.
  submitLabel: string
  doneMessage: string
  fields: readonly ActionField[]
  // A button that does it at once, with nothing in its fields.
  immediateLabel?: string
  // What has to be ticked first, where it cannot be undone.
  confirmLabel?: string
  run(controls: Controls, input: ActionInput): void
}

// Of which section it is, the table of all says.
export type SectionAction = Omit<Action, 'section'>

const wholeNumberPattern = /^\d{1,9}$/
const wholeNumberRule = 'a whole number'
export const textField = (name: string, label: string, more: Partial<ActionField> = {}): ActionField => ({
  name,
  label,
  ...more,
})
export const required = {isRequired: true}
export const wholeNumber = {pattern: wholeNumberPattern, rule: wholeNumberRule}
export const checkboxField = (name: string, label: string) => textField(name, label, {isFlag: true})
export const choiceField = (name: string, label: string, choices: readonly string[], more: Partial<ActionField> = {}) =>
  textField(name, label, {choices, ...more})
