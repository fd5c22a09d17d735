// What a person sees before a file is paid: how many rows, how much, and what is left out.
import type {WriteConfirmation} from '../../cli/confirm-write.ts'
import type {BoxRow} from '../../cli/output/box.ts'
import type {Caller} from '../../profiles/caller.ts'
import {describePlace} from '../../profiles/write-policy.ts'
import {isCreated} from './journal-state.ts'
import type {OpenBatch} from './open-batch.ts'
import {type UnreadyRow, customersCheckedMax} from '../file/readiness.ts'
import type {RowStop} from './row-stop.ts'
import type {PayoutRow} from '../file/rows.ts'
import {sumDeveloperFees, sumRows} from './totals.ts'

const countRows = (count: number) => `${count} ${count === 1 ? 'row' : 'rows'}`

const buildRow = (label: string, texts: readonly string[], remark?: string): BoxRow[] =>
  texts.length === 0
    ? []
    : [{label, lines: [...texts.map((text) => ({text})), ...(remark ? [{text: remark, tone: 'dim' as const}] : [])]}]

const unreadyShownMax = 5

// Names the rows that the service would refuse, before the first row is paid.
function buildUnreadyRows(unready: readonly UnreadyRow[] | undefined): BoxRow[] {
  if (!unready) {
    const text = `not checked, for more than ${customersCheckedMax} customers; --dry-run checks them all`
    return buildRow('Accounts', [text])
  }
  const shown = unready.slice(0, unreadyShownMax).map(({row, reason}) => `line ${row.line}, ${row.key}: ${reason}`)
  const more = unready.length - shown.length
  return buildRow(
    'Would be refused',
    more > 0 ? [...shown, `and ${countRows(more)} more; --dry-run lists them all`] : shown,
  )
}

function describeRefused(refused: number, count: number): string {
  if (refused === 0) return ''
  if (count === 1) return ', although it would be refused'
  return `, although ${refused === count ? 'each' : refused} would be refused`
}

interface RunQuestionSettings {
  caller: Caller
  stops: readonly RowStop[]
  // Reads which of the rows would be refused. It is called only if someone is asked.
  findUnready: (rows: readonly PayoutRow[]) => Promise<UnreadyRow[] | undefined>
}

// Undefined if nothing is left to pay.
export function buildRunQuestion(
  {rows, journalState}: Pick<OpenBatch, 'rows' | 'journalState'>,
  {caller, stops, findUnready}: RunQuestionSettings,
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
  let refused = 0
  return {
    describe: async () => {
      const unready = await findUnready(open)
      refused = unready?.length ?? 0
      return {
        title: `Please confirm ${describePlace(caller)}`,
        isLive: caller.environment === 'live',
        groups: [...groups, buildUnreadyRows(unready)],
      }
    },
    question: () => `Pay ${countRows(open.length)}${describeRefused(refused, open.length)}?`,
  }
}
