// How profiles and the caller are shown as tables and records.
import {type CallerSummary, describeOrganization} from './organization.ts'
import type {ProfileSummary} from './profiles.ts'
import {type View, formatYesNo} from '../cli/output/view.ts'
import {formatDuration} from '../values/time.ts'

// Formats caps as 1000 USD, 800 EUR.
const formatCaps = (caps: unknown) =>
  Object.entries((caps ?? {}) as Record<string, string>)
    .map(([currency, amount]) => `${amount} ${currency}`)
    .join(', ')

const formatMs = (ms: unknown) => (ms === undefined ? undefined : formatDuration(Number(ms)))

export const profileView: View<ProfileSummary> = {
  singular: 'profile',
  plural: 'profiles',
  covers: ['limits', 'listLagMaxMs', 'notify'],
  columns: [
    {name: 'current', header: '', value: (p) => p.current, format: (v) => (v ? '*' : ''), rank: 0},
    {name: 'name', header: 'NAME', value: (p) => p.name, rank: 0},
    {name: 'environment', header: 'ENVIRONMENT', value: (p) => p.environment, rank: 1, colour: 'status'},
    {name: 'baseUrl', short: 'address', header: 'ADDRESS', value: (p) => p.baseUrl, rank: 2, widthMin: 20},
    {name: 'service', header: 'SERVICE', value: (p) => p.service, rank: 7, onRequest: true},
    {name: 'credential', header: 'CREDENTIAL', value: (p) => p.credential, rank: 3},
    {name: 'storedIn', header: 'STORED IN', value: (p) => p.storedIn, rank: 4},
    {name: 'readOnly', header: 'READ ONLY', value: (p) => p.readOnly, format: formatYesNo, rank: 5},
    {name: 'usedBy', header: 'USED BY', value: (p) => p.usedBy, rank: 6, onRequest: true},
    {name: 'organization', header: 'ORGANIZATION', value: (p) => p.organization, rank: 6, onRequest: true},
    {
      name: 'paymentMax',
      header: 'PAYMENT MAX',
      value: (p) => p.limits?.paymentMax,
      format: formatCaps,
      rank: 7,
      onRequest: true,
    },
    {name: 'dayMax', header: 'DAY MAX', value: (p) => p.limits?.dayMax, format: formatCaps, rank: 7, onRequest: true},
    {
      name: 'destinations',
      header: 'PAYS ONLY TO',
      value: (p) => p.limits?.destinations,
      rank: 7,
      onRequest: true,
    },
    {name: 'resend', header: 'RESEND', value: (p) => p.resend, rank: 7, onRequest: true},
    {
      name: 'listLagMax',
      header: 'LIST LAG MAX',
      value: (p) => p.listLagMaxMs,
      format: formatMs,
      rank: 7,
      onRequest: true,
    },
    {
      name: 'duplicateWindow',
      header: 'DUPLICATE WINDOW',
      value: (p) => p.duplicateWindow,
      format: (v) => (v === '0' ? 'off' : String(v)),
      rank: 7,
      onRequest: true,
    },
    {
      name: 'customerReadPath',
      header: 'CUSTOMER READ PATH',
      value: (p) => p.customerReadPath,
      rank: 7,
      onRequest: true,
    },
    {name: 'journal', header: 'JOURNAL', value: (p) => p.journal, rank: 7, onRequest: true},
    {
      name: 'journalPasswordCommand',
      header: 'JOURNAL PASSWORD COMMAND',
      value: (p) => p.journalPasswordCommand,
      rank: 7,
      onRequest: true,
    },
    {name: 'notifyCommand', header: 'NOTIFY', value: (p) => p.notify?.command, rank: 7, onRequest: true},
    {
      name: 'notifyAfter',
      header: 'NOTIFY AFTER',
      value: ({notify}) => notify?.afterMs,
      format: formatMs,
      rank: 7,
      onRequest: true,
    },
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
    {name: 'environment', header: 'ENVIRONMENT', value: (w) => w.environment, rank: 0, colour: 'status'},
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
