// What can be done on the console: the commands of svc sandbox, each with its fields and what it does.
import {ControlError} from '../control-error.ts'
import type {Controls} from '../controls.ts'
import type {Action, SectionAction, SectionName} from './action.ts'
import {copies, faults, webhooks} from './sandbox-actions.ts'
import {checkInput, type ActionInput} from './action-fields.ts'
import {accounts, customers, time, transactions} from './service-actions.ts'

const assignSection = (section: SectionName, list: readonly SectionAction[]): Action[] =>
  list.map((action) => ({...action, section}))

export const actions: readonly Action[] = [
  ...assignSection('time', time),
  ...assignSection('customers', customers),
  ...assignSection('accounts', accounts),
  ...assignSection('transactions', transactions),
  ...assignSection('webhooks', webhooks),
  ...assignSection('faults', faults),
  ...assignSection('copies', copies),
]

// What svc sandbox shows, and in which section the console does.
export const viewSections: Readonly<Record<string, SectionName>> = {
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

export const toActionId = ({command}: Action) => command.replaceAll(' ', '-')

export const findAction = (id: string) => actions.find((action) => toActionId(action) === id)

export const confirmName = 'sure'

export function runAction(action: Action, controls: Controls, input: ActionInput, isConfirmed: boolean) {
  if (action.confirmLabel !== undefined && !isConfirmed) throw new ControlError(`Tick "${action.confirmLabel}" first`)
  checkInput(action.fields, input)
  action.run(controls, input)
}
