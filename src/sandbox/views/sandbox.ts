// What the sandbox holds, as a record.
import type {SandboxStatus} from '../controls.ts'
import type {View} from '../../cli/output/view.ts'
import {yesOrNo} from '../../cli/output/values.ts'

const counted = (value: unknown) =>
  Object.entries(value as Record<string, number>).map(([status, count]) => `${String(count).padStart(4)} ${status}`)

export const sandboxView: View<SandboxStatus> = {
  one: 'sandbox',
  many: 'sandboxes',
  columns: [
    {name: 'file', header: 'FILE', value: (s) => s.file, rank: 0},
    {
      name: 'clock',
      header: 'CLOCK',
      value: (s) => s.clock,
      brief: (clock) => {
        const {now, frozen} = clock as SandboxStatus['clock']
        return `${now}${frozen ? ' (frozen)' : ''}`
      },
      rank: 0,
    },
    {name: 'customers', header: 'CUSTOMERS', value: (s) => s.customers, brief: counted, rank: 0},
    {
      name: 'queue',
      header: 'QUEUE',
      value: (s) => s.queue,
      brief: (queue) => {
        const {waiting, nextDue} = queue as SandboxStatus['queue']
        return `${waiting} waiting${nextDue ? `, the next due at ${nextDue}` : ''}`
      },
      rank: 0,
    },
    {
      name: 'organizations',
      header: 'ORGANIZATIONS',
      value: (s) => s.organizations,
      brief: (all) =>
        (all as SandboxStatus['organizations']).map(({organizationId, name}) => `${organizationId} ${name}`),
      rank: 0,
    },
    {name: 'schemaVersion', header: 'SCHEMA', value: (s) => s.schemaVersion, rank: 0},
    {name: 'seedGiven', header: 'SEED GIVEN', value: (s) => s.seedGiven, brief: yesOrNo, rank: 0},
  ],
}
