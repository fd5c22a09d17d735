// The status of the sandbox, as a record.
import type {SandboxStatus} from '../operations/controls.ts'
import type {View} from '../../cli/output/view.ts'
import {formatYesNo} from '../../cli/output/format-values.ts'

const formatCounts = (value: unknown) =>
  Object.entries(value as Record<string, number>).map(([status, count]) => `${String(count).padStart(4)} ${status}`)

// Where programs control the running server, if there is one.
interface ServerFields {
  controlUrl?: string
  controlToken?: string
  controlOpenapiUrl?: string
}

export const sandboxView: View<SandboxStatus & ServerFields> = {
  singular: 'sandbox',
  plural: 'sandboxes',
  columns: [
    {name: 'file', header: 'FILE', value: (s) => s.file, rank: 0},
    {
      name: 'clock',
      header: 'CLOCK',
      value: (s) => s.clock,
      format: (clock) => {
        const {now, frozen} = clock as SandboxStatus['clock']
        return `${now}${frozen ? ' (frozen)' : ''}`
      },
      rank: 0,
    },
    {name: 'customers', header: 'CUSTOMERS', value: (s) => s.customers, format: formatCounts, rank: 0},
    {
      name: 'queue',
      header: 'QUEUE',
      value: (s) => s.queue,
      format: (queue) => {
        const {waiting, nextDue} = queue as SandboxStatus['queue']
        return `${waiting} waiting${nextDue ? `, the next due at ${nextDue}` : ''}`
      },
      rank: 0,
    },
    {
      name: 'organizations',
      header: 'ORGANIZATIONS',
      value: (s) => s.organizations,
      format: (all) =>
        (all as SandboxStatus['organizations']).map(({organizationId, name}) => `${organizationId} ${name}`),
      rank: 0,
    },
    {name: 'schemaVersion', header: 'SCHEMA', value: (s) => s.schemaVersion, rank: 0},
    {name: 'seedGiven', header: 'SEED GIVEN', value: (s) => s.seedGiven, format: formatYesNo, rank: 0},
    {name: 'controlUrl', header: 'CONTROL', value: (s) => s.controlUrl, rank: 0},
    {
      name: 'controlToken',
      header: 'CONTROL TOKEN',
      value: (s) => s.controlToken,
      // It is a secret, and screens are shown to others.
      format: (token) => token && 'shown with --json',
      rank: 0,
    },
    {name: 'controlOpenapiUrl', header: 'CONTROL OPENAPI', value: (s) => s.controlOpenapiUrl, rank: 0},
  ],
}
