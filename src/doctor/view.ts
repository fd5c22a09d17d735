// What doctor found, as a table: a sign that reads without colour, and what to do beside what was found.
import type {CheckRow, Outcome} from './checkup.ts'
import type {View} from '../cli/output/view.ts'

const signs: Record<Outcome, string> = {ok: '✓ ok', warning: '! warning', failed: '✗ failed', skipped: '– skipped'}

export const checkView: View<CheckRow> = {
  one: 'check',
  many: 'checks',
  columns: [
    {
      name: 'outcome',
      header: 'OUTCOME',
      value: (row) => row.outcome,
      brief: (value) => signs[value as Outcome],
      rank: 0,
      painted: 'status',
    },
    {name: 'check', header: 'CHECK', value: (row) => row.check, rank: 0},
    {
      name: 'found',
      header: 'FOUND',
      value: (row) => row.found,
      brief: (found, {next}) => (next ? `${String(found)} → ${next}` : found),
      rank: 0,
      widthMin: 24,
      wraps: true,
    },
    {name: 'next', header: 'WHAT TO DO', value: (row) => row.next, rank: 1, widthMin: 24, wraps: true, onRequest: true},
  ],
}
