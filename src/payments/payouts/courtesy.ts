// How a whole run treats a service that is failing: it asks less often when asked to, and gives up before it becomes a flood.
import {setTimeout as sleep} from 'node:timers/promises'
import type {Connection} from '../../client/calls.ts'
import {SvcError, exitCodes} from '../../errors.ts'
import type {Service} from '../service.ts'
import type {Halt} from './halt.ts'

// So many failures a run may spend, with every retry counted; each answer gives a part of one back, so that a service that
// fails now and then is borne for as long as the run takes, and one that fails more than every third time is not
// (docs/assumptions.md, P15).
const failuresMax = 60
const regainedByAnswer = 0.5
// A service that asks for more patience than this is asked again after this.
const quietMaxMs = 60_000

const isFailing = (status: number) => status === 408 || status === 429 || status >= 500

type Reply = Parameters<NonNullable<Connection['onReply']>>[0]

export interface Courtesy {
  // Hears every reply, those before a retry included.
  hear(reply: Reply): void
  // The same service, left alone while it asks for it.
  around(service: Service): Service
}

export function courtesyOf(halt: Halt): Courtesy {
  let left = failuresMax
  let quietUntilMs = 0
  const failed = () => {
    left -= 1
    if (left <= 0) halt.stop('service')
  }
  // Where there was no reply at all, nobody else has counted it.
  const counted = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } catch (error) {
      const isSilence =
        error instanceof SvcError &&
        error.statusCode === undefined &&
        (error.exitCode === exitCodes.unreachable || error.exitCode === exitCodes.unknown)
      if (isSilence) failed()
      throw error
    }
  }
  const quiet = () => pausedFor(quietUntilMs - performance.now(), halt)
  return {
    hear({status, headers}) {
      if (!isFailing(status)) {
        left = Math.min(failuresMax, left + regainedByAnswer)
        return
      }
      failed()
      const seconds = Number(headers.get('retry-after') ?? Number.NaN)
      if (seconds > 0) quietUntilMs = performance.now() + Math.min(quietMaxMs, seconds * 1000)
    },
    around: (service) => ({
      async quote(content, isGuaranteed) {
        await quiet()
        return counted(service.quote(content, isGuaranteed))
      },
      // What is armed is sent at once: its quote is running out.
      send: (bytes, idempotencyKey) => counted(service.send(bytes, idempotencyKey)),
      async *transactions(customerId) {
        await quiet()
        const pages = service.transactions(customerId)[Symbol.asyncIterator]()
        for (;;) {
          const {done, value} = await counted(pages.next())
          if (done) return
          yield value
        }
      },
    }),
  }
}

// A pause that ends early when the run does.
export async function pausedFor(ms: number, {signal}: Halt): Promise<void> {
  if (ms <= 0 || signal.aborted) return
  await sleep(ms, undefined, {signal}).catch(() => {})
}
