// How profiles and the caller are shown as tables and records.
import {type CallerSummary, describeOrganization} from './organization.ts'
import type {ProfileSummary} from './profiles.ts'
import {type Column, type View, formatYesNo} from '../cli/output/view.ts'
import {formatDuration} from '../values/time.ts'

// Formats caps as 1000 USD, 800 EUR.
const formatCaps = (caps: unknown) =>
  Object.entries((caps ?? {}) as Record<string, string>)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ')

const formatMs = (ms: unknown) => (ms === undefined ? undefined : formatDuration(Number(ms)))

// A column that a table shows only if it is asked for, and a record always.
const onRequest = (
  name: string,
  header: string,
  value: Column<ProfileSummary>['value'],
  format?: (value: unknown) => unknown,
): Column<ProfileSummary> => ({name, header, value, rank: 7, ...(format && {format}), shown: 'onRequest'})

export const profileView: View<ProfileSummary> = {
  singular: 'profile',
  plural: 'profiles',
  covers: ['limits', 'listLagMaxMs', 'notify'],
  columns: [
    {name: 'current', header: '', value: (p) => p.current, format: (v) => (v ? '*' : ''), rank: 0},
    {name: 'name', header: 'NAME', value: (p) => p.name, rank: 0},
    {name: 'environment', header: 'ENVIRONMENT', value: (p) => p.environment, rank: 1, kind: 'status'},
    {name: 'baseUrl', short: 'address', header: 'ADDRESS', value: (p) => p.baseUrl, rank: 2, kind: 'text'},
    onRequest('service', 'SERVICE', (p) => p.service),
    {name: 'credential', header: 'CREDENTIAL', value: (p) => p.credential, rank: 3},
    {name: 'storedIn', header: 'STORED IN', value: (p) => p.storedIn, rank: 4},
    {name: 'readOnly', header: 'READ ONLY', value: (p) => p.readOnly, format: formatYesNo, rank: 5},
    onRequest('usedBy', 'USED BY', (p) => p.usedBy),
    onRequest('organization', 'ORGANIZATION', (p) => p.organization),
    onRequest('paymentMax', 'PAYMENT MAX', (p) => p.limits?.paymentMax, formatCaps),
    onRequest('dayMax', 'DAY MAX', (p) => p.limits?.dayMax, formatCaps),
    onRequest('destinations', 'PAYS ONLY TO', (p) => p.limits?.destinations),
    onRequest('resend', 'RESEND', (p) => p.resend),
    onRequest('listLagMax', 'LIST LAG MAX', (p) => p.listLagMaxMs, formatMs),
    onRequest(
      'duplicateWindow',
      'DUPLICATE WINDOW',
      (p) => p.duplicateWindow,
      (v) => (v === '0' ? 'off' : String(v)),
    ),
    onRequest('customerReadPath', 'CUSTOMER READ PATH', (p) => p.customerReadPath),
    onRequest('journal', 'JOURNAL', (p) => p.journal),
    onRequest('journalPasswordCommand', 'JOURNAL PASSWORD COMMAND', (p) => p.journalPasswordCommand),
    onRequest('notifyCommand', 'NOTIFY', (p) => p.notify?.command),
    onRequest('notifyAfter', 'NOTIFY AFTER', ({notify}) => notify?.afterMs, formatMs),
  ],
}

// In a list, the star marks the profile that is in use here, which need not be the current one.
export const profileListView: View<ProfileSummary> = {
  ...profileView,
  columns: profileView.columns.map((column) =>
    column.name === 'current' ? {...column, format: (_, profile) => (profile.usedBy ? '*' : '')} : column,
  ),
}

export const whoamiView: View<CallerSummary> = {
  singular: 'caller',
  plural: 'callers',
  covers: ['limits', 'organizationOf'],
  columns: [
    {name: 'profile', header: 'PROFILE', value: (w) => w.profile, rank: 0},
    {name: 'source', header: 'SOURCE', value: (w) => w.source, rank: 0},
    {name: 'chosenBy', header: 'CHOSEN BY', value: (w) => w.chosenBy, rank: 0},
    {name: 'environment', header: 'ENVIRONMENT', value: (w) => w.environment, rank: 0, kind: 'status'},
    {name: 'baseUrl', short: 'address', header: 'ADDRESS', value: (w) => w.baseUrl, rank: 0},
    {name: 'service', header: 'SERVICE', value: (w) => w.service, rank: 0},
    {name: 'credential', header: 'CREDENTIAL', value: (w) => w.credential, rank: 0},
    {name: 'expiresAt', header: 'EXPIRES', value: (w) => w.expiresAt, rank: 0},
    {
      name: 'organization',
      header: 'ORGANIZATION',
      value: (w) => w.organization,
      format: (_, w) => describeOrganization(w),
      rank: 0,
    },
    {name: 'may', header: 'MAY', value: (w) => w.may, rank: 0},
    {name: 'readOnly', header: 'READ ONLY', value: (w) => w.readOnly, format: formatYesNo, rank: 0},
    {name: 'paymentMax', header: 'PAYMENT MAX', value: (w) => w.limits?.paymentMax, format: formatCaps, rank: 0},
    {name: 'dayMax', header: 'DAY MAX', value: (w) => w.limits?.dayMax, format: formatCaps, rank: 0},
    {name: 'destinations', header: 'PAYS ONLY TO', value: (w) => w.limits?.destinations, rank: 0},
    {name: 'journal', header: 'JOURNAL', value: (w) => w.journal, rank: 0},
  ],
}
