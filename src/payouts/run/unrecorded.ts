// A row that was made, but of which the journal could not record that: its outcome counts as unknown, and the next run finds it.
import {SvcError} from '../../errors.ts'
import type {EndedRow} from './pay-row.ts'
import type {RowState} from './result.ts'

const madeStates: ReadonlySet<RowState> = new Set(['CREATED', 'ENDED_BADLY'])

const readReason = (error: unknown) => (error instanceof SvcError ? (error.reason ?? error.message) : String(error))

// Rows that were made before this run, or not at all, stay as they are.
export function toUnrecordedRow(ended: EndedRow, flushError: unknown): EndedRow {
  const {result} = ended
  if (!madeStates.has(result.state) || result.madeBefore) return ended
  const {fee: _fee, received: _received, ...rest} = result
  const {key, transaction = 'without an id'} = result
  const failure = new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `The payment ${key} was made as transaction ${transaction}, but the journal could not record it: ${readReason(flushError)}`,
    hint: 'Run the file again to record it; nothing is paid twice',
    cause: flushError,
  })
  return {result: {...rest, state: 'UNKNOWN', error: {error: failure.error, message: failure.message}}, failure}
}
