// How approvals are shown.
import {type View, formatMinute, formatYesNo} from '../cli/output/view.ts'
import type {ShownApproval} from './check-approvals.ts'

export const approvalView: View<ShownApproval> = {
  singular: 'approval',
  plural: 'approvals',
  columns: [
    {name: 'signer', header: 'SIGNER', value: (a) => a.signer, rank: 0},
    {name: 'counts', header: 'COUNTS', value: (a) => a.counts, format: formatYesNo, rank: 0},
    {
      name: 'expiresAt',
      short: 'expires',
      header: 'EXPIRES (UTC)',
      value: (a) => a.expiresAt,
      format: formatMinute,
      rank: 1,
    },
    {name: 'reason', header: 'BECAUSE', value: (a) => a.reason, rank: 2},
    {name: 'givenAt', short: 'given', header: 'GIVEN (UTC)', value: (a) => a.givenAt, format: formatMinute, rank: 3},
    {name: 'user', header: 'USER', value: (a) => a.user, rank: 4},
  ],
}
