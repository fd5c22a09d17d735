// What one thing that can be done on the console is made of.
import type {Controls} from '../controls.ts'
import type {ActionField, Given} from './fields.ts'

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
  submit: string
  done: string
  fields: readonly ActionField[]
  // A button that does it at once, with nothing in its fields.
  atOnce?: string
  // What has to be ticked first, where it cannot be undone.
  sure?: string
  run(controls: Controls, given: Given): void
}

// Of which section it is, the table of all says.
export type ActionHere = Omit<Action, 'section'>

const number = /^\d{1,9}$/
const numberRule = 'a whole number'
export const text = (name: string, label: string, more: Partial<ActionField> = {}): ActionField => ({
  name,
  label,
  ...more,
})
export const wanted = {isWanted: true}
export const counted = {pattern: number, rule: numberRule}
export const tick = (name: string, label: string) => text(name, label, {isFlag: true})
export const choice = (name: string, label: string, choices: readonly string[], more: Partial<ActionField> = {}) =>
  text(name, label, {choices, ...more})
