// Waits until every row that was made has ended, with progress, until --timeout ends or the process is interrupted.
import {registerExitNotice} from '../../cli/exit-notice.ts'
import {canShowLiveLine} from '../../cli/output/streams.ts'
import {describeWaiting} from '../../cli/watch/waiting-notice.ts'
import type {Client} from '../../client/client.ts'
import {createService} from '../../payments/protocol/service.ts'
import {type Following, followRows} from './follow.ts'
import {Halt, type StopReason, haltAfter} from './halt.ts'
import {type ProgressSettings, startWaitProgress} from './progress.ts'
import {type PayoutResult, isUnderWay} from './result.ts'
import {withSignals} from './signals.ts'

export interface WaitSettings {
  isSandbox: boolean
  progressSettings: Omit<ProgressSettings, 'total'>
  // Connects a client whose requests end with the signal.
  connect: (signal: AbortSignal) => Promise<Client>
}

export interface Waiting extends Omit<Following, 'service' | 'halt' | 'getTimeLeft'>, WaitSettings {
  // Of the whole run.
  deadlineMs: number
}

// For example: 3 PROCESSING, 1 AWAITING_TRANSFER.
function describeStatuses(results: Iterable<PayoutResult>): string {
  const counts = new Map<string, number>()
  for (const {status = 'without a status'} of results) counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
}

// Returns why the waiting stopped before every row had ended.
export async function waitForEnds(waiting: Waiting): Promise<StopReason | undefined> {
  const {results, progressSettings, connect, deadlineMs, onChange, isSandbox, notice} = waiting
  const underWay = new Map(results.filter(isUnderWay).map((result) => [result.key, result]))
  const total = underWay.size
  if (total === 0) return undefined
  const halt = new Halt()
  const getTimeLeft = () => deadlineMs - performance.now()
  const cancelTimeout = haltAfter(halt, Number.isFinite(deadlineMs) ? Math.max(0, getTimeLeft()) : undefined)
  if (canShowLiveLine()) notice(describeWaiting(isSandbox, 'waiting'))
  const progress = startWaitProgress(
    {...progressSettings, total},
    () => total - underWay.size,
    () => describeStatuses(underWay.values()),
  )
  const unregister = registerExitNotice(() => ({
    message: `Stopped waiting; ${underWay.size} of the rows that were made have not ended yet`,
    hint: 'Run the file again with --wait to follow them; nothing is paid twice',
  }))
  try {
    // Nothing is in progress that would have to be finished, so the first signal ends the waiting.
    await withSignals(
      halt,
      () => {},
      async () =>
        followRows({
          ...waiting,
          service: createService(await connect(halt.signal)),
          halt,
          getTimeLeft,
          onChange(result) {
            if (isUnderWay(result)) underWay.set(result.key, result)
            else underWay.delete(result.key)
            progress.refresh()
            onChange(result)
          },
        }),
    )
  } finally {
    cancelTimeout()
    progress.end()
    unregister()
  }
  return halt.reason
}
