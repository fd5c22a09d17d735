// Rows as a list that grows while the run goes on: each is handed over as it ends, whoever is slower.
import {EventEmitter, once} from 'node:events'
import type {SvcError} from '../errors.ts'
import type {Result} from '../cli/output/result.ts'
import {payoutView} from './view.ts'
import type {PayoutResult} from './result.ts'

type Work = (onResult: (result: PayoutResult) => void) => Promise<SvcError | undefined>

// The ending is known when the last row was handed over, which is when it is asked for.
export function streamResults(work: Work): Result {
  let ending: SvcError | undefined
  async function* pages() {
    const emitter = new EventEmitter()
    let waiting: PayoutResult[] = []
    let isOver = false
    const run = work((result) => {
      waiting.push(result)
      emitter.emit('row')
    }).finally(() => {
      isOver = true
      emitter.emit('row')
    })
    // It is awaited below, after the rows that came before its failure.
    run.catch(() => {})
    for (;;) {
      const items = waiting
      waiting = []
      if (items.length > 0) yield {items, envelope: {payouts: items}}
      else if (isOver) break
      else await once(emitter, 'row')
    }
    ending = await run
  }
  return {
    kind: 'list',
    key: 'payouts',
    view: payoutView,
    pages: pages(),
    get failure() {
      return ending
    },
  }
}
