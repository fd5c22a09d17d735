// A list result whose rows are printed while the run goes on.
import {EventEmitter, once} from 'node:events'
import type {SvcError} from '../../errors.ts'
import type {Result} from '../../cli/output/result.ts'
import {payoutView} from './view.ts'
import type {PayoutResult} from './result.ts'

type Work = (onResult: (result: PayoutResult) => void) => Promise<SvcError | undefined>

// `failure` is set after the last row. It is read only then.
export function streamResults(work: Work): Result {
  let failure: SvcError | undefined
  async function* pages() {
    const emitter = new EventEmitter()
    let pendingRows: PayoutResult[] = []
    let hasEnded = false
    const run = work((result) => {
      pendingRows.push(result)
      emitter.emit('row')
    }).finally(() => {
      hasEnded = true
      emitter.emit('row')
    })
    // A failure is thrown by the await below, after the rows that ended before it.
    run.catch(() => {})
    for (;;) {
      const items = pendingRows
      pendingRows = []
      if (items.length > 0) yield {items, envelope: {payouts: items}}
      else if (hasEnded) break
      else await once(emitter, 'row')
    }
    failure = await run
  }
  return {
    kind: 'list',
    key: 'payouts',
    view: payoutView,
    pages: pages(),
    get failure() {
      return failure
    },
  }
}
