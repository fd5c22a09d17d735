// Directs a reproduction: sets the frozen clock to the time of the next line, and lets the sandbox answer so that this line comes
// about. Where the original process must have ended, it ends the run.
import {SvcError} from '../../errors.ts'
import type {Sandbox} from '../../transport.ts'
import type {Attempt, BadEnding, Payment, PriceLimits} from '../protocol/payment.ts'
import {LimitReached} from '../protocol/limits.ts'
import type {ServerClock, Service} from '../protocol/service.ts'
import {
  type ReproducedStep,
  type ScriptLine,
  chooseFault,
  getEnding,
  getReason,
  isFoundLater,
  saysGone,
  saysTooLate,
} from './script.ts'
import {dayMs} from '../../values/time.ts'

// The history cannot come about like this.
export class Diverged extends Error {
  override name = 'Diverged'
}

// The process of the original ended here, or the script is over.
export class RunEnded extends Error {
  override name = 'RunEnded'
}

// A new transaction is missing from the list for as long as the script wants it to.
const hiddenSeconds = 1_000_000_000
const post = 'POST /transactions'
// A quote that is sent has at least this much life left.
const sentLifeMs = 20_000
// A process that pauses more often than this without a new line waits in vain, and the original has ended.
const pausesMax = 1

const outcomes: Readonly<Record<BadEnding, 'failed' | 'cancelled' | 'expired'>> = {
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
}

const isBadEnding = (status: string): status is BadEnding => status in outcomes

interface Helpers {
  // Lets the service have the transaction that the line is about.
  makeSure: (line: ScriptLine) => Promise<void>
}

export class Director {
  readonly steps: ReproducedStep[] = []
  readonly makeSure: Helpers['makeSure']
  readonly #lines: readonly ScriptLine[]
  readonly #sandbox: Sandbox
  #events: string[] = []
  #pauses = 0

  constructor(lines: readonly ScriptLine[], sandbox: Sandbox, {makeSure}: Helpers) {
    this.#lines = lines
    this.#sandbox = sandbox
    this.makeSure = makeSure
  }

  get next(): ScriptLine | undefined {
    return this.#lines[this.steps.length]
  }

  isNext = (what: string) => this.next?.what === what

  // The clock of the machine that wrote the original.
  journalNow = (): number => (this.next ?? this.#lines.at(-1))?.at ?? 0

  #readServiceMs = () => Date.parse(this.#sandbox.clock.status().now)

  // Late enough for what the script says next, if that is possible only after some time.
  #readLateEnough = () => {
    const hasWaited = ['NOT_FOUND', 'ABANDONED', 'QUOTED'].some((what) => this.isNext(what))
    return this.#readServiceMs() + (hasWaited ? dayMs : 0)
  }

  #moveClock(line: ScriptLine): void {
    const target = line.at + (line.attempt?.serverAheadMs ?? 0)
    if (target > this.#readServiceMs()) this.#sandbox.clock.freeze(new Date(target))
  }

  // Decisions that depend on seconds are made as the script says. Times that are recorded are those of the frozen clock.
  readonly clock: ServerClock = {
    wall: () => this.#readLateEnough(),
    ticks: () => this.#readServiceMs(),
    earliest: () => this.#readLateEnough(),
    latest: () => {
      const nowMs = this.#readServiceMs()
      const expiresAt = this.next?.attempt?.quoteExpiresAt
      if (expiresAt === undefined) return nowMs
      return saysTooLate(this.next) ? Math.max(nowMs, expiresAt) : Math.min(nowMs, expiresAt - sentLifeMs)
    },
    observeDate: () => {},
    observeQuote: () => {},
    assumeOffset: () => {},
    aheadMs: () => this.next?.attempt?.serverAheadMs ?? 0,
    observedAheadMs: () => undefined,
  }

  // The limits of each attempt, and the one that stopped it, with its own words.
  get limits(): PriceLimits {
    const readLimits = (): PriceLimits => {
      if (this.next?.what === 'STOPPED') throw new LimitReached(getReason(this.next))
      return this.next?.attempt?.limits ?? {}
    }
    // An attempt keeps its limits, and is written again with every later line.
    let written: PriceLimits | undefined
    return Object.defineProperties(
      {},
      {
        toJSON: {value: () => (written ??= this.next?.attempt?.limits ?? {})},
        feeMax: {enumerable: true, get: () => readLimits().feeMax},
        rateMin: {enumerable: true, get: () => readLimits().rateMin},
        receivedMin: {enumerable: true, get: () => readLimits().receivedMin},
      },
    )
  }

  findNextAttempt = (): Attempt | undefined =>
    this.#lines.slice(this.steps.length).find(({what}) => what === 'QUOTED')?.attempt ?? this.next?.attempt

  expect(what: string): void {
    // Another line next means that the process of the original did not get as far.
    if (this.next?.what !== what) this.#endRun()
  }

  record({state}: Payment): void {
    const line = this.next as ScriptLine
    this.#moveClock(line)
    const reason = getReason(line)
    this.steps.push({
      step: this.steps.length + 1,
      at: new Date(line.at).toISOString(),
      serviceTime: this.#sandbox.clock.status().now,
      what: line.what,
      ...(reason && {reason}),
      state,
      events: this.#events,
    })
    this.#events = []
    this.#pauses = 0
  }

  checkDone(): void {
    if (!this.next) throw new RunEnded()
  }

  checkProgress(): void {
    this.checkDone()
    if (++this.#pauses > pausesMax) this.#endRun()
  }

  endTransaction(transactionId: string, ending: string): void {
    if (isBadEnding(ending)) this.#sandbox.money.endBadly(transactionId, ending)
  }

  #hide = () => void this.#sandbox.faults.setBehaviours({listLagSeconds: hiddenSeconds})

  reveal(line: ScriptLine): void {
    this.#moveClock(line)
    this.#sandbox.faults.setBehaviours({listLagSeconds: 0, expiredQuotes: 'accepted'})
  }

  direct(service: Service): Service {
    return {
      quote: async (content, isGuaranteed) => {
        const line = this.#requireNext()
        if (line.what !== 'QUOTED') return this.#endRun()
        this.#moveClock(line)
        const quote = await service.quote(content, isGuaranteed)
        this.#events.push('POST /quotes: priced')
        return this.#imitateQuote(String(quote.quoteId), quote, line.attempt)
      },
      send: async (bytes, idempotencyKey) => this.#send(service, bytes, idempotencyKey),
      transactions: (customerId, options) => this.#list(service, customerId, options),
    }
  }

  #imitateQuote(ownId: string, quote: object, attempt: Attempt | undefined) {
    if (!attempt) return quote
    const {quoteId, quoteExpiresAt: expiresAt, price} = attempt
    const {rate, received, svcFee, developerFee} = price
    this.#sandbox.money.imitateQuote(ownId, {quoteId, expiresAt, rate, received, svcFee, developerFee})
    return {
      ...quote,
      quoteId,
      expiresAt: new Date(expiresAt).toISOString(),
      estimatedExchangeRate: rate,
      destinationAmount: received,
      fees: {
        feeCurrency: {label: price.feeCurrency},
        svcFee: {feeAmount: svcFee},
        developerFee: {feeAmount: developerFee},
      },
    }
  }

  #requireNext(): ScriptLine {
    if (!this.next) throw new RunEnded()
    return this.next
  }

  #endRun(): never {
    this.#pauses = 0
    if (this.next) this.#events.push('the process ended')
    throw new RunEnded()
  }

  async #send(service: Service, bytes: string, idempotencyKey: string): Promise<unknown> {
    const line = this.#requireNext()
    this.#moveClock(line)
    if (line.what === 'ABANDONED') {
      this.#events.push(`${post}: not sent`)
      throw new SvcError({error: 'UNREACHABLE', kind: 'unreachable', effect: 'none', message: getReason(line)})
    }
    // A new transaction is listed when the script lets it be found.
    this.#hide()
    try {
      return await this.#answer(service, line, [bytes, idempotencyKey])
    } finally {
      // How a transaction goes on is decided by the script, too.
      this.#sandbox.money.holdTransactions()
    }
  }

  async #answer(service: Service, line: ScriptLine, request: Parameters<Service['send']>): Promise<unknown> {
    const isMade = isFoundLater(this.#lines, this.steps.length)
    if (line.what === 'CREATED') {
      const status = getEnding(line) ?? ''
      const ending = isBadEnding(status) ? outcomes[status] : undefined
      if (ending) this.#sandbox.faults.setBehaviours({transactionOutcome: ending})
      const reply = await service.send(...request)
      if (ending) this.#sandbox.faults.setBehaviours({transactionOutcome: 'completed'})
      this.#events.push(`${post}: created`)
      return reply
    }
    const isGone = line.what !== 'REFUSED' && (line.what !== 'UNKNOWN' || saysGone(line))
    if (isGone) {
      if (isMade) await service.send(...request)
      this.#events.push(isMade ? `${post}: created, but the process ended first` : `${post}: the process ended`)
      throw new RunEnded()
    }
    const {kind, status} = chooseFault(line, isMade)
    this.#sandbox.faults.add({method: 'POST', path: '/transactions', kind, times: 1, ...(status && {status})})
    this.#events.push(`${post}: ${kind}${status ? ` ${status}` : ''}`)
    return service.send(...request)
  }

  async *#list(...[service, customerId, options]: [Service, ...Parameters<Service['transactions']>]) {
    const line = this.#requireNext()
    this.#moveClock(line)
    const isShown = line.what === 'ADOPTED' || line.what === 'ENDED'
    if (isShown) {
      this.reveal(line)
      await this.makeSure(line)
    } else this.#hide()
    this.#events.push(`GET /transactions: ${isShown ? 'listed' : 'not listed'}`)
    yield* service.transactions(customerId, options)
  }
}
