// The receivers of webhooks that a scenario plays, and a clock that stops wherever one of them gets something. Between two stops
// the process can be interrupted.
import {setImmediate} from 'node:timers/promises'
import type {Sandbox} from '../sandbox.ts'
import type {Outcome} from '../service/webhooks/attempts.ts'

// A status, or no reply in time.
type ReceiverReply = number | 'timeout'

export interface Receivers {
  add(endpointId: string, replies: readonly ReceiverReply[]): void
  remove(endpointId: string): void
  removeAll(): void
  // Makes the attempts that are due now.
  deliver(): void
  // Moves the clock to an instant, in milliseconds since 1970.
  moveTo(instant: number): Promise<void>
  moveUntilIdle(): Promise<void>
}

const toOutcome = (reply: ReceiverReply): Outcome => (reply === 'timeout' ? {failure: 'TIMEOUT'} : {status: reply})

export function createReceivers({scenarios, clock}: Pick<Sandbox, 'scenarios' | 'clock'>): Receivers {
  const left = new Map<string, ReceiverReply[]>()
  const readNow = () => Date.parse(clock.status().now)

  // The last reply is given to everything that follows.
  const takeReply = (replies: ReceiverReply[]) => toOutcome((replies.length > 1 ? replies.shift() : replies[0]) ?? 200)

  function deliver() {
    for (const [endpointId, replies] of left) scenarios.deliver(endpointId, () => takeReply(replies))
  }

  const advanceTo = (instant: number) => {
    clock.advance(Math.max(0, Math.ceil(instant - readNow())))
    deliver()
  }

  return {
    add: (endpointId, replies) => void left.set(endpointId, [...replies]),
    remove(endpointId) {
      left.delete(endpointId)
      scenarios.removeReceiver(endpointId)
    },
    removeAll() {
      for (const endpointId of left.keys()) scenarios.removeReceiver(endpointId)
      left.clear()
    },
    deliver,
    async moveTo(instant) {
      deliver()
      while (left.size > 0) {
        const due = scenarios.findNextDue('everything')
        if (due === undefined || due >= instant) break
        advanceTo(due)
        await setImmediate()
      }
      advanceTo(instant)
    },
    async moveUntilIdle() {
      deliver()
      if (left.size === 0) return void clock.untilIdle()
      for (;;) {
        const due = scenarios.findNextDue('foreground')
        if (due === undefined) return undefined
        advanceTo(due)
        await setImmediate()
      }
    },
  }
}
