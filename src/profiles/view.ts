// How profiles and the caller are shown as tables and records.
import {type CallerSummary, describeOrganization} from './organization.ts'
import type {ProfileSummary} from './profiles.ts'
import {type Column, type View, createColumn, formatYesNo} from '../cli/output/view.ts'
import {formatDuration} from '../values/time.ts'

// Formats caps as 1000 USD, 800 EUR.
const formatCaps = (caps: unknown) =>
  Object.entries((caps ?? {}) as Record<string, string>)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ')

const formatMs = (ms: unknown) => (ms === undefined ? undefined : formatDuration(Number(ms)))

const profile = createColumn<ProfileSummary>
const caller = createColumn<CallerSummary>

// A column that a table shows only if it is asked for, and a record always.
const onRequest = (name: string, header: string, more: Partial<Column<ProfileSummary>> = {}) =>
  profile(name, 7, {header, shown: 'onRequest', ...more})

export const profileView: View<ProfileSummary> = {
  singular: 'profile',
  plural: 'profiles',
  covers: ['limits', 'listLagMaxMs', 'notify'],
  columns: [
    profile('current', 0, {header: '', format: (v) => (v ? '*' : '')}),
    profile('name', 0),
    profile('environment', 1, {kind: 'status'}),
    profile('baseUrl', 2, {short: 'address', header: 'ADDRESS', kind: 'text'}),
    onRequest('service', 'SERVICE'),
    profile('credential', 3),
    profile('storedIn', 4, {header: 'STORED IN'}),
    profile('readOnly', 5, {header: 'READ ONLY', format: formatYesNo}),
    onRequest('usedBy', 'USED BY'),
    onRequest('organization', 'ORGANIZATION'),
    onRequest('paymentMax', 'PAYMENT MAX', {value: (p) => p.limits?.paymentMax, format: formatCaps}),
    onRequest('dayMax', 'DAY MAX', {value: (p) => p.limits?.dayMax, format: formatCaps}),
    onRequest('destinations', 'PAYS ONLY TO', {value: (p) => p.limits?.destinations}),
    onRequest('resend', 'RESEND'),
    onRequest('listLagMax', 'LIST LAG MAX', {value: (p) => p.listLagMaxMs, format: formatMs}),
    onRequest('duplicateWindow', 'DUPLICATE WINDOW', {format: (v) => (v === '0' ? 'off' : String(v))}),
    onRequest('journal', 'JOURNAL'),
    onRequest('journalPasswordCommand', 'JOURNAL PASSWORD COMMAND'),
    onRequest('notifyCommand', 'NOTIFY', {value: (p) => p.notify?.command}),
    onRequest('notifyAfter', 'NOTIFY AFTER', {value: (p) => p.notify?.afterMs, format: formatMs}),
  ],
}

// In a list, the star marks the profile that is in use here, which need not be the current one.
export const profileListView: View<ProfileSummary> = {
  ...profileView,
  columns: profileView.columns.map((column) =>
    column.name === 'current' ? {...column, format: (_, {usedBy}) => (usedBy ? '*' : '')} : column,
  ),
}

export const whoamiView: View<CallerSummary> = {
  singular: 'caller',
  plural: 'callers',
  covers: ['limits', 'organizationOf'],
  columns: [
    caller('profile', 0),
    caller('source', 0),
    caller('chosenBy', 0, {header: 'CHOSEN BY'}),
    caller('environment', 0, {kind: 'status'}),
    caller('baseUrl', 0, {short: 'address', header: 'ADDRESS'}),
    caller('service', 0),
    caller('credential', 0),
    caller('expiresAt', 0, {header: 'EXPIRES'}),
    caller('organization', 0, {format: (_, who) => describeOrganization(who)}),
    caller('may', 0),
    caller('readOnly', 0, {header: 'READ ONLY', format: formatYesNo}),
    caller('paymentMax', 0, {header: 'PAYMENT MAX', value: (w) => w.limits?.paymentMax, format: formatCaps}),
    caller('dayMax', 0, {header: 'DAY MAX', value: (w) => w.limits?.dayMax, format: formatCaps}),
    caller('destinations', 0, {header: 'PAYS ONLY TO', value: (w) => w.limits?.destinations}),
    caller('journal', 0),
  ],
}
