// All actions of the console: the commands of svc sandbox, each with its fields.
import {ControlError} from '../operations/control-error.ts'
import type {Controls} from '../operations/controls.ts'
import type {Action, SectionAction, SectionName} from './action.ts'
import {faults, snapshots, webhooks} from './sandbox-actions.ts'
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
  ...assignSection('snapshots', snapshots),
]

// The commands that only show something, and the section of the console that shows it.
export const viewSections: Readonly<Record<string, SectionName>> = {
  clock: 'time',
  status: 'time',
  'accounts list': 'accounts',
  'webhooks list': 'webhooks',
  'webhooks deliveries': 'webhooks',
  requests: 'requests',
  'faults list': 'faults',
  'snapshot list': 'snapshots',
  'snapshot diff': 'snapshots',
  magic: 'magic',
}

export const toActionId = ({command}: Action) => command.replaceAll(' ', '-')

export const findAction = (id: string) => actions.find((action) => toActionId(action) === id)

export const confirmName = 'confirm'

export function runAction(action: Action, controls: Controls, input: ActionInput, isConfirmed: boolean) {
  if (action.confirmLabel !== undefined && !isConfirmed)
    throw new ControlError(`Confirm "${action.confirmLabel}" first`)
  checkInput(action.fields, input)
  action.run(controls, input)
}
