// The definition of an action on the console, and helpers for its fields.
import type {Controls} from '../operations/controls.ts'
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
  | 'snapshots'
  | 'magic'

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
  run(controls: Controls, input: ActionInput): void
}

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
