// The lists of the customers' transactions, which nobody else reads. Each is read whole once, and
// later only as far back as something new can be (docs/assumptions.md, P14). What two walks that
// agree have proved is remembered in the journal, so that the next run reads what is new.
import {quoteLifetimeMs} from '../../contract/vocabulary.ts'
import type {LooseTransaction} from '../../contract/loose.ts'
import {SvcError, ignoreFailure} from '../../errors.ts'
import {readText} from '../../values/records.ts'
import type {Journal, ListName, ListProof, RecalledList} from '../journal/journal.ts'
import {ListedTransactions} from './lists/listed-transactions.ts'
import {
  type Payment,
  deriveCorrelationId,
  isDerivedCorrelationId,
  isQuoteKey,
  listCustomers,
  normalizeCorrelationId,
} from './payment.ts'
import {
  type ListRead,
  type ListReader,
  type Page,
  type Stop,
  type Walk,
  clockSkewMaxMs,
  readCreatedMs,
  readList,
} from './lists/walk-list.ts'

export interface ListSettings extends ListReader {
  // Says whose a transaction is.
  journal: Pick<Journal, 'list'>
  // Where it is remembered what was proved of a list. Without it, every run reads the whole list.
  memory?: Pick<Journal, 'recallList' | 'rememberList'> | undefined
  // Whether the lists are read for many payments. Then a read that any of these will do for is no
  // look of theirs: each looks again before it is armed.
  isShared?: boolean | undefined
}

export interface Wanted {
  // Whether the list has to be read anew from now on. Otherwise any read of this run will do.
  isFresh?: boolean
  // Whether one walk through several pages is enough, although what it lacks may have moved
  // meanwhile. It has found these.
  isOneReadEnough?: (found: readonly LooseTransaction[]) => boolean
  // Whether the transaction of a payment that was made is enough, and a second one may be passed
  // over.
  isOneFoundEnough?: boolean
}

export interface FoundInLists {
  matches: readonly LooseTransaction[]
  // When the read began, by the service's clock at the earliest, and by that of this machine.
  startedMs: number
  startedLocallyMs: number
  // Until when it has seen everything, in ticks of the clock, if it was read for whoever asked.
  seenUntilTicks: number
  // Why the list could not be read to its end. Then it proves the absence of nothing.
  cutBy?: SvcError | undefined
}

// What was read of a list so far.
interface Coverage extends Omit<FoundInLists, 'matches' | 'cutBy'> {
  // The number of the walk from which on it has seen everything.
  order: number
  isNewestFirst: boolean
  isAgreed: boolean
  // Everything that was created since then was seen.
  sinceMs: number
  // Whether the journal knows what was created before.
  isRemembered: boolean
  known: Pick<ListProof, 'untilMs' | 'heads'>
  // Which demand for statuses it meets.
  statuses: number
}

// How far back a list has to be read for a payment.
interface Need {
  serviceId: string
  // Since when a request of this journal, or a quote that was made elsewhere, may have made it.
  findSinceMs: () => number
  // Whether its quote was made elsewhere, and nothing of older age can be its transaction.
  isQuoteGiven: boolean
  // Whether the whole list is needed, whatever is remembered.
  isWhole: boolean
  memory?: RecalledList | undefined
}

// From when on the statuses of transactions have to be read anew, and how far back.
interface StatusDemand {
  number: number
  backToMs: number
}

const isUnsent = ({attempts}: Payment) => attempts.every(({armed}) => !armed)

// By the service's clock, at the earliest: a transaction is younger than its quote.
const findSentMs = ({attempts}: Payment) => {
  const sent = attempts.flatMap(({armed, quote}) => (armed ? [armed.at, quote.expiresAt - quoteLifetimeMs] : []))
  return Math.min(Number.POSITIVE_INFINITY, ...sent) - clockSkewMaxMs
}

// After so many reads the whole list is read.
const shortReadsMax = 3

// A call waits for the read that others have begun, where that has seen enough.
export class CustomerList {
  readonly #settings: ListSettings
  readonly #customerId: string
  readonly #statuses: Readonly<StatusDemand>
  readonly #listed = new ListedTransactions()
  #coverage: Coverage | undefined
  #reading: Promise<SvcError | undefined> | undefined
  // The transactions that were shown since their statuses have to be read anew.
  #shown = new Set<unknown>()
  // How many walks have begun.
  #walks = 0
  // A walk to the end of the list that no other one has agreed with.
  #before: Walk | undefined
  // What the journal has of the list, and the transactions that it was not asked about yet.
  #remembered: ListProof | undefined
  readonly #unjudged = new Map<string, LooseTransaction>()

  constructor(
    settings: ListSettings,
    customerId: string,
    statuses: Readonly<StatusDemand> = {number: 0, backToMs: Number.POSITIVE_INFINITY},
  ) {
    this.#settings = settings
    this.#customerId = customerId
    this.#statuses = statuses
  }

  // The transactions of a payment. A match that any walk has shown counts, even if the list never
  // stands still.
  async find(
    payment: Payment,
    {isFresh = false, isOneReadEnough = () => false, isOneFoundEnough = false}: Wanted = {},
  ): Promise<FoundInLists> {
    const walksBefore = this.#walks
    const isEnough = () => isOneReadEnough(this.#findPossible(payment))
    const need = await this.#createNeed(payment, isOneFoundEnough)
    const isMet = (coverage: Coverage) =>
      (!isFresh || coverage.order > walksBefore) &&
      (payment.state !== 'CREATED' || coverage.statuses === this.#statuses.number) &&
      this.#covers(coverage, need) &&
      (coverage.isAgreed || isEnough())

    // A whole list meets every need, whatever kept shorter reads from it.
    let cutBy: SvcError | undefined
    for (let tries = 1; !cutBy && !(this.#coverage && isMet(this.#coverage)); tries++) {
      const wanted = tries > shortReadsMax ? {...need, isWhole: true, memory: undefined} : need
      const begin = () => this.#read(wanted, isEnough, isFresh ? walksBefore : 0)
      this.#reading ??= begin().finally(() => (this.#reading = undefined))
      cutBy = await this.#reading
    }
    const own = await this.#listed.findOwn(payment, this.#settings.journal)
    const matches = own.filter((transaction) => this.#isCurrent(payment, transaction))
    const unseen = {startedMs: 0, startedLocallyMs: 0, seenUntilTicks: Number.NEGATIVE_INFINITY}
    if (cutBy || !this.#coverage) return {matches, ...unseen, cutBy}

    const {order, startedMs, startedLocallyMs, seenUntilTicks} = this.#coverage
    const isOwn = isFresh || (order > walksBefore && !this.#settings.isShared)
    return {matches, ...unseen, startedMs, startedLocallyMs, ...(isOwn && {seenUntilTicks})}
  }

  // All transactions, from a list that was read whole. Throws if it never stands still or may be
  // cut: such a list proves nothing.
  async readWhole(): Promise<{listed: ListedTransactions; startedMs: number}> {
    const need = {serviceId: '', findSinceMs: () => Number.NEGATIVE_INFINITY, isQuoteGiven: false, isWhole: true}
    const cutBy = await this.#read(need, () => false, 0)
    if (cutBy || !this.#coverage) throw cutBy
    return {listed: this.#listed, startedMs: this.#coverage.startedMs}
  }

  #findPossible(payment: Payment): LooseTransaction[] {
    return this.#listed.findPossible(payment).filter((transaction) => this.#isCurrent(payment, transaction))
  }

  // What a read for statuses did not show is not listed any more.
  #isCurrent({state}: Payment, {transactionId}: LooseTransaction): boolean {
    const {number} = this.#statuses
    const isReadAnew = number > 0 && this.#coverage?.statuses === number
    return state !== 'CREATED' || !isReadAnew || this.#shown.has(transactionId)
  }

  async #createNeed(payment: Payment, isOneFoundEnough: boolean): Promise<Need> {
    const {serviceId, key, state, madeAt = Number.NEGATIVE_INFINITY} = payment
    const {clock, memory} = this.#settings
    const isMade = state === 'CREATED'
    const isQuoteGiven = isQuoteKey(key) && isUnsent(payment) && !isMade
    const need = {serviceId, isQuoteGiven, isWhole: isMade ? !isOneFoundEnough : isQuoteKey(key) && !isQuoteGiven}
    // A quote that still lives was made within its lifetime.
    if (isQuoteGiven) {
      const findSinceMs = () =>
        clock.isObserved() ? clock.earliest() - quoteLifetimeMs - clockSkewMaxMs : Number.NEGATIVE_INFINITY
      return {...need, findSinceMs}
    }
    const sentMs = isMade ? madeAt - clockSkewMaxMs : findSentMs(payment)
    const findSinceMs = () => sentMs
    const isSeen = this.#coverage?.sinceMs === Number.NEGATIVE_INFINITY
    if (need.isWhole || isSeen || this.#customerId === '') return {...need, findSinceMs}
    const found = await memory?.recallList(this.#getName(serviceId), deriveCorrelationId(serviceId, key))
    return {...need, findSinceMs, isWhole: found?.isUnrecorded === true, memory: found}
  }

  #getName(serviceId: string): ListName {
    return {serviceId, customerId: this.#customerId.toLowerCase()}
  }

  // Whether everything that may be the payment's transaction was seen or is known to the journal,
  // which may have gone back to an earlier state since it was first asked.
  #covers({sinceMs, isRemembered}: Coverage, {isWhole, isQuoteGiven, findSinceMs, memory}: Need): boolean {
    if (sinceMs === Number.NEGATIVE_INFINITY) return true
    const isKnown = isQuoteGiven || (isRemembered && memory !== undefined && memory.sinceMs >= sinceMs)
    return !isWhole && isKnown && findSinceMs() >= sinceMs
  }

  // Where the next read may stop, and what it builds on. Without either it goes to the end of the
  // list.
  #plan(
    need: Need,
    isEnough: () => boolean,
  ): {stop?: Stop; base?: Pick<Coverage, 'isAgreed' | 'sinceMs' | 'isRemembered'>} {
    const {listLagMaxMs} = this.#settings
    const coverage = this.#coverage
    if (coverage && this.#covers(coverage, need) && (coverage.isAgreed || isEnough())) {
      if (!coverage.isNewestFirst) return {}
      const {untilMs, heads} = coverage.known
      const statusesMs =
        coverage.statuses === this.#statuses.number ? Number.POSITIVE_INFINITY : this.#statuses.backToMs
      const beforeMs = Math.min(untilMs - listLagMaxMs, statusesMs) - clockSkewMaxMs
      return {stop: {findBeforeMs: () => beforeMs, heads, isOrderKnown: true}, base: coverage}
    }

    const {memory} = need
    if (memory && !need.isWhole && (memory.isAgreed || isEnough())) {
      const {untilMs, heads, isAgreed} = memory
      const knownMs = Math.min(memory.sinceMs, untilMs - listLagMaxMs - clockSkewMaxMs)
      const sinceMs = Math.min(knownMs, need.findSinceMs())
      const stop = {findBeforeMs: () => sinceMs, heads, isOrderKnown: true}
      if (sinceMs > Number.NEGATIVE_INFINITY) return {stop, base: {isAgreed, sinceMs, isRemembered: true}}
    }

    if (need.isQuoteGiven) return {stop: {findBeforeMs: need.findSinceMs, heads: [], isOrderKnown: false}}
    return {}
  }

  // An earlier walk may be the first of two that agree, unless it is older than what is wanted.
  async #read(need: Need, isEnough: () => boolean, freshAfter: number): Promise<SvcError | undefined> {
    const {stop, base} = this.#plan(need, isEnough)
    const before = this.#before && this.#before.order > freshAfter ? this.#before : undefined
    const {memory} = need
    const statuses = this.#statuses.number
    const shown = this.#coverage?.statuses === statuses ? this.#shown : new Set<unknown>()
    const read = await readList(this.#settings, this.#customerId, {
      visit: (page) => this.#collect(page, shown),
      countWalk: () => ++this.#walks,
      stop,
      before: stop ? undefined : before,
      isOneReadEnough: isEnough,
    })
    this.#shown = shown
    if (read.cutBy) return read.cutBy

    const stoppedAtMs = read.last.stoppedAtMs
    const isToEnd = stoppedAtMs === undefined
    if (isToEnd) this.#before = read.isAgreed ? undefined : read.last
    const {startedMs, startedLocallyMs} = read.first
    this.#coverage = {
      startedMs,
      startedLocallyMs,
      seenUntilTicks: read.seenUntil.ticks,
      order: read.seenUntil.order,
      isNewestFirst: read.first.isNewestFirst && read.last.isNewestFirst,
      isAgreed: read.isAgreed && (isToEnd || base?.isAgreed !== false),
      sinceMs: isToEnd ? Number.NEGATIVE_INFINITY : (base?.sinceMs ?? stoppedAtMs),
      isRemembered: !isToEnd && base?.isRemembered === true,
      known: {untilMs: Math.floor(Math.min(read.last.newestMs, startedMs)), heads: read.last.heads},
      statuses,
    }
    // A list whose newest transactions are gone is another list than the journal remembers.
    this.#remembered ??= isToEnd && stop ? undefined : memory
    await this.#remember(need.serviceId, read, this.#coverage)
    return undefined
  }

  #collect(page: Page, shown: Set<unknown>): void {
    for (const transaction of page) {
      const {transactionId, correlationId} = transaction
      if (this.#statuses.number > 0) shown.add(transactionId)
      this.#listed.add(transaction)
      if (!this.#settings.memory || !isDerivedCorrelationId(correlationId)) continue
      this.#unjudged.set(readText(transactionId) || normalizeCorrelationId(correlationId), transaction)
    }
  }

  // Remembers what was proved, where that saves the next run a page. What was seen and is older
  // than a later read goes back is named to the journal, which keeps what it has not recorded.
  // Nothing is lost if it cannot be kept.
  async #remember(serviceId: string, {last}: ListRead, coverage: Coverage): Promise<void> {
    const {clock, memory, listLagMaxMs} = this.#settings
    const {isNewestFirst, isRemembered, isAgreed, known} = coverage
    const isProved =
      isNewestFirst && clock.isObserved() && (isRemembered || coverage.sinceMs === Number.NEGATIVE_INFINITY)
    if (!memory || this.#customerId === '' || last.pages <= 1 || !isProved) return

    const sinceMs = known.untilMs - listLagMaxMs - clockSkewMaxMs
    const earlier = this.#remembered
    const isBetter = !earlier || (isAgreed && !earlier.isAgreed)
    const isNew = (ms: number) => earlier !== undefined && ms >= earlier.sinceMs && ms < sinceMs
    if (!isBetter && last.createdMs.values().filter(isNew).toArray().length < last.first.length) return

    const proof = {...known, sinceMs, isAgreed}
    const old = [...this.#unjudged].filter(([, transaction]) => !(readCreatedMs(transaction) >= sinceMs))
    const seen = old.map(([, transaction]) => ({
      transactionId: readText(transaction.transactionId),
      correlationId: normalizeCorrelationId(transaction.correlationId),
    }))
    const remember = async () => {
      await memory.rememberList(this.#getName(serviceId), proof, seen)
      for (const [id] of old) this.#unjudged.delete(id)
      this.#remembered = proof
    }
    await ignoreFailure(remember())
  }
}

// A list that could not be read is left alone for so long by payments that need no more than the
// status of what was made.
const unreadableMs = 60_000

// The lists of a run, each of which is opened once.
export class CustomerLists {
  readonly #settings: ListSettings
  readonly #lists = new Map<string, CustomerList>()
  readonly #statuses: StatusDemand = {number: 0, backToMs: Number.POSITIVE_INFINITY}
  // By customer.
  readonly #unreadable = new Map<string, {untilMs: number; error: SvcError}>()

  constructor(settings: ListSettings) {
    this.#settings = settings
  }

  // From now on the statuses of what was made since then are read anew.
  expireStatuses(backToMs: number): void {
    this.#statuses.number++
    this.#statuses.backToMs = backToMs
  }

  // The transactions of this payment, each once, of all customers that it was tried for.
  async find(payment: Payment, wanted?: Wanted): Promise<FoundInLists> {
    const {customerId: own} = payment.content
    const unreadable = payment.state === 'CREATED' ? this.#unreadable.get(own) : undefined
    if (unreadable && performance.now() < unreadable.untilMs) throw unreadable.error
    const noteUnreadable = (error: SvcError) =>
      this.#unreadable.set(own, {untilMs: performance.now() + unreadableMs, error})

    const reads = listCustomers(payment).map((customerId) => this.#open(customerId).find(payment, wanted))
    const lists = await Promise.all(reads).catch((error: unknown) => {
      if (error instanceof SvcError) noteUnreadable(error)
      throw error
    })
    const cutBy = lists.find((list) => list.cutBy)?.cutBy
    if (cutBy) noteUnreadable(cutBy)
    const matches = lists.flatMap((list) => list.matches)
    return {
      matches: [...new Map(matches.map((match) => [match.transactionId, match])).values()],
      startedMs: Math.min(...lists.map(({startedMs}) => startedMs)),
      startedLocallyMs: Math.min(...lists.map(({startedLocallyMs}) => startedLocallyMs)),
      seenUntilTicks: Math.min(...lists.map(({seenUntilTicks}) => seenUntilTicks)),
      cutBy,
    }
  }

  #open(customerId: string): CustomerList {
    const id = customerId.toLowerCase()
    const list = this.#lists.get(id) ?? new CustomerList(this.#settings, customerId, this.#statuses)
    this.#lists.set(id, list)
    return list
  }
}
