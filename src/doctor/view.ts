// The table of `svc doctor`. The sign of each outcome can be read without colour.
import type {CheckRow, Outcome} from './run-checks.ts'
import {type View, createColumn} from '../cli/output/view.ts'

const signs: Record<Outcome, string> = {ok: '✓ ok', warning: '! warning', failed: '✗ failed', skipped: '– skipped'}

export const checkView: View<CheckRow> = {
  singular: 'check',
  plural: 'checks',
  columns: [
    createColumn('outcome', 0, {format: (outcome) => signs[outcome as Outcome], kind: 'status'}),
    createColumn('check', 0),
    createColumn('found', 0, {
      format: (found, {next}) => (next ? `${String(found)} → ${next}` : found),
      kind: 'sentence',
    }),
    createColumn('next', 1, {header: 'WHAT TO DO', kind: 'sentence', shown: 'onRequest'}),
  ],
}
