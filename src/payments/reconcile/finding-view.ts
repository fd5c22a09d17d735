// The view of what a reconciliation found.
import type {Finding} from './reconcile.ts'
import type {View} from '../../cli/output/view.ts'

export const findingView: View<Finding> = {
  singular: 'finding',
  plural: 'findings',
  columns: [
    {name: 'kind', header: 'KIND', value: (f) => f.kind, rank: 0, colour: 'status'},
    {name: 'key', header: 'KEY', value: (f) => f.key, rank: 1, widthMin: 12},
    {
      name: 'transactionId',
      short: 'transaction',
      header: 'TRANSACTION',
      value: (f) => f.transactionId,
      rank: 2,
      isId: true,
    },
    {
      name: 'detail',
      header: 'FOUND',
      value: (f) => f.detail,
      format: (detail, {next}) => `${String(detail)} → ${next}`,
      rank: 0,
      widthMin: 24,
      wraps: true,
    },
    {name: 'next', header: 'WHAT TO DO', value: (f) => f.next, rank: 3, widthMin: 24, wraps: true, onRequest: true},
  ],
}
