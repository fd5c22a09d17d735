// What can be done on the console: the commands of svc sandbox, each with its fields and what it does.
import {ControlError} from '../control-error.ts'
import type {Controls} from '../controls.ts'
import type {Action, ActionHere, SectionName} from './action.ts'
import {copies, faults, webhooks} from './bench-actions.ts'
import {checkGiven, type Given} from './fields.ts'
import {accounts, customers, time, transactions} from './service-actions.ts'

const within = (section: SectionName, list: readonly ActionHere[]): Action[] =>
  list.map((action) => ({...action, section}))

export const actions: readonly Action[] = [
  ...within('time', time),
  ...within('customers', customers),
  ...within('accounts', accounts),
  ...within('transactions', transactions),
  ...within('webhooks', webhooks),
  ...within('faults', faults),
  ...within('copies', copies),
]

// What svc sandbox shows, and in which section the console does.
export const shown: Readonly<Record<string, SectionName>> = {
  clock: 'time',
  status: 'time',
  'accounts list': 'accounts',
  'webhooks list': 'webhooks',
  'webhooks deliveries': 'webhooks',
  requests: 'requests',
  'faults list': 'faults',
  'snapshot list': 'copies',
  'snapshot diff': 'copies',
  magic: 'magic',
}

export const idOf = ({command}: Action) => command.replaceAll(' ', '-')

export const actionById = (id: string) => actions.find((action) => idOf(action) === id)

export const sureName = 'sure'

export function carryOut(action: Action, controls: Controls, given: Given, isSure: boolean) {
  if (action.sure !== undefined && !isSure) throw new ControlError(`Tick "${action.sure}" first`)
  checkGiven(action.fields, given)
  action.run(controls, given)
}
