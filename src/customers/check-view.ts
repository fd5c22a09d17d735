// Columns for the outcome of `svc customers check`.
import type {View} from '../cli/output/view.ts'

export interface CheckOutcome {
  ready: boolean
  // The request that would carry the data.
  request: string
  documents: number
  // Warnings that were accepted.
  warnings: readonly string[]
}

export const checkView: View<CheckOutcome> = {
  singular: 'check',
  plural: 'checks',
  columns: [
    {name: 'ready', header: 'READY', value: ({ready}) => ready, format: (ready) => (ready ? 'yes' : 'no'), rank: 0},
    {name: 'request', header: 'REQUEST', value: ({request}) => request, rank: 0},
    {name: 'documents', header: 'DOCUMENTS', value: ({documents}) => documents, rank: 1},
    {name: 'warnings', header: 'WARNINGS', value: ({warnings}) => warnings.length, rank: 1},
  ],
}
