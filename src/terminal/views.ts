// The views: which columns each entity has. Pure data, in one place.
import type {IssueCodeEntry} from '../contract/issue-codes.ts'
import type {ProfileSummary} from '../profiles/profiles.ts'
import type {SandboxStatus} from '../sandbox/sandbox.ts'
import type {View} from './view.ts'

// Items come from the service, so any field may be missing or of another kind than the contract says.
type Item = Readonly<Record<string, unknown>>

// Minutes are enough for a table; JSON and CSV keep the timestamp as it came.
const toTheMinute = (value: unknown) =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d).*$/, '$1 $2') : value

const yesOrNo = (value: unknown) => (value ? 'yes' : 'no')

const issuesAsText = (value: unknown) =>
  Array.isArray(value)
    ? value.map((issue: Item | null) => `${String(issue?.['code'])}: ${String(issue?.['message'])}`)
    : value

export const customerView: View<Item> = {
  one: 'customer',
  many: 'customers',
  columns: [
    {name: 'customerId', short: 'id', header: 'ID', value: (c) => c['customerId'], rank: 0},
    {
      name: 'customerStatus',
      short: 'status',
      header: 'STATUS',
      value: (c) => c['customerStatus'],
      rank: 1,
      painted: 'status',
    },
    {name: 'customerType', short: 'type', header: 'TYPE', value: (c) => c['customerType'], rank: 3},
    {name: 'name', header: 'NAME', value: (c) => c['name'], rank: 2, widthGood: 24, widthMin: 12},
    {name: 'email', header: 'EMAIL', value: (c) => c['email'], rank: 5, widthGood: 24, widthMin: 16},
    {
      name: 'updatedAt',
      short: 'updated',
      header: 'UPDATED (UTC)',
      value: (c) => c['updatedAt'],
      brief: toTheMinute,
      rank: 4,
    },
    {
      name: 'organizationId',
      short: 'organization',
      header: 'ORGANIZATION',
      value: (c) => c['organizationId'],
      rank: 6,
      onRequest: true,
    },
    {
      name: 'verificationLink',
      short: 'link',
      header: 'VERIFICATION LINK',
      value: (c) => c['verificationLink'],
      rank: 7,
      onRequest: true,
    },
    {
      name: 'availablePaymentMethods',
      short: 'methods',
      header: 'PAYMENT METHODS',
      value: (c) => c['availablePaymentMethods'],
      rank: 8,
      onRequest: true,
    },
    {
      name: 'verificationIssues',
      short: 'issues',
      header: 'ISSUES',
      value: (c) => c['verificationIssues'],
      brief: issuesAsText,
      rank: 9,
      onRequest: true,
    },
  ],
}

const whoCan: Record<IssueCodeEntry['resolver'], string> = {
  CUSTOMER: 'customer',
  CUSTOMER_THEN_SUPPORT: 'customer, then support',
  SUPPORT: 'support',
}

export const issueCodeView: View<IssueCodeEntry> = {
  one: 'issue code',
  many: 'issue codes',
  columns: [
    {name: 'code', header: 'CODE', value: (c) => c.code, rank: 0},
    {
      name: 'resolver',
      short: 'who',
      header: 'WHO',
      value: (c) => c.resolver,
      brief: (v) => whoCan[v as keyof typeof whoCan],
      rank: 1,
    },
    {name: 'group', header: 'GROUP', value: (c) => c.group, rank: 3},
    {name: 'meaning', header: 'MEANING', value: (c) => c.meaning, rank: 2, widthMin: 8},
    {name: 'resolution', header: 'RESOLUTION', value: (c) => c.resolution, rank: 4, widthMin: 16},
    {name: 'fields', header: 'FIELDS', value: (c) => c.fields, rank: 5, onRequest: true},
  ],
}

export const profileView: View<ProfileSummary> = {
  one: 'profile',
  many: 'profiles',
  columns: [
    {name: 'current', header: '', value: (p) => p.current, brief: (v) => (v ? '*' : ''), rank: 0},
    {name: 'name', header: 'NAME', value: (p) => p.name, rank: 0},
    {name: 'environment', header: 'ENVIRONMENT', value: (p) => p.environment, rank: 1, painted: 'status'},
    {name: 'baseUrl', short: 'address', header: 'ADDRESS', value: (p) => p.baseUrl, rank: 2, widthMin: 20},
    {name: 'credential', header: 'CREDENTIAL', value: (p) => p.credential, rank: 3},
    {name: 'storedIn', header: 'STORED IN', value: (p) => p.storedIn, rank: 4},
    {name: 'readOnly', header: 'READ ONLY', value: (p) => p.readOnly, brief: yesOrNo, rank: 5},
    {name: 'organization', header: 'ORGANIZATION', value: (p) => p.organization, rank: 6, onRequest: true},
    {
      name: 'customerReadPath',
      header: 'CUSTOMER READ PATH',
      value: (p) => p.customerReadPath,
      rank: 7,
      onRequest: true,
    },
  ],
}

export const whoamiView: View<Item> = {
  one: 'caller',
  many: 'callers',
  columns: [
    {name: 'profile', header: 'PROFILE', value: (w) => w['profile'], rank: 0},
    {name: 'source', header: 'SOURCE', value: (w) => w['source'], rank: 0},
    {name: 'environment', header: 'ENVIRONMENT', value: (w) => w['environment'], rank: 0, painted: 'status'},
    {name: 'baseUrl', short: 'address', header: 'ADDRESS', value: (w) => w['baseUrl'], rank: 0},
    {name: 'credential', header: 'CREDENTIAL', value: (w) => w['credential'], rank: 0},
    {name: 'expiresAt', header: 'EXPIRES', value: (w) => w['expiresAt'], rank: 0},
    {name: 'organization', header: 'ORGANIZATION', value: (w) => w['organization'], rank: 0},
    {name: 'readOnly', header: 'READ ONLY', value: (w) => w['readOnly'], brief: yesOrNo, rank: 0},
  ],
}

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
