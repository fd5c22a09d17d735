// What a person sees before a file is paid: how many rows, how much, and what is left out.
import type {WriteConfirmation} from '../cli/confirm-write.ts'
import type {BoxRow} from '../cli/output/box.ts'
import type {Caller} from '../profiles/caller.ts'
import {describePlace} from '../profiles/write-policy.ts'
import {isCreated} from './journal-state.ts'
import type {OpenBatch} from './open-batch.ts'
import type {RowStop} from './row-stop.ts'
import {sumDeveloperFees, sumRows} from './totals.ts'

const countRows = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`

const buildRow = (label: string, texts: readonly string[], remark?: string): BoxRow[] =>
  texts.length === 0
    ? []
    : [{label, lines: [...texts.map((text) => ({text})), ...(remark ? [{text: remark, tone: 'dim' as const}] : [])]}]

// Undefined if nothing is left to pay.
export function buildRunQuestion(
  {rows, journalState}: Pick<OpenBatch, 'rows' | 'journalState'>,
  stops: readonly RowStop[],
  caller: Caller,
): WriteConfirmation | undefined {
  const stopped = new Set(stops.map(({row}) => row.key))
  const left = rows.filter((row) => !isCreated(row, journalState))
  const open = left.filter(({key}) => !stopped.has(key))
  if (open.length === 0) return undefined
  const made = rows.length - left.length
  const fees = sumDeveloperFees(open)
  const groups = [
    [
      ...buildRow('Rows', [countRows(open.length)]),
      ...buildRow(
        'Amount',
        sumRows(open),
        'the fees of the service come out of it; --dry-run --with-quotes shows them',
      ),
      ...buildRow('Your fees', fees),
    ],
    [
      ...buildRow('Made before', made > 0 ? [`${countRows(made)}, not paid again`] : []),
      ...buildRow('Left out', stopped.size > 0 ? [`${countRows(stopped.size)}, over the limits of the profile`] : []),
    ],
  ]
  return {
    describe: () => ({
      title: `Please confirm ${describePlace(caller)}`,
      isLive: caller.environment === 'live',
      groups,
    }),
    question: `Pay ${countRows(open.length)}?`,
  }
}
