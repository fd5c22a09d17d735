// The table of `svc doctor`. The sign of each outcome can be read without colour.
import type {CheckRow, Outcome} from './run-checks.ts'
import type {View} from '../cli/output/view.ts'

const signs: Record<Outcome, string> = {ok: '✓ ok', warning: '! warning', failed: '✗ failed', skipped: '– skipped'}

export const checkView: View<CheckRow> = {
  singular: 'check',
  plural: 'checks',
  columns: [
    {
      name: 'outcome',
      header: 'OUTCOME',
      value: (row) => row.outcome,
      format: (value) => signs[value as Outcome],
      rank: 0,
      kind: 'status',
    },
    {name: 'check', header: 'CHECK', value: (row) => row.check, rank: 0},
    {
      name: 'found',
      header: 'FOUND',
      value: (row) => row.found,
      format: (found, {next}) => (next ? `${String(found)} → ${next}` : found),
      rank: 0,
      kind: 'sentence',
    },
    {name: 'next', header: 'WHAT TO DO', value: (row) => row.next, rank: 1, kind: 'sentence', shown: 'onRequest'},
  ],
}
