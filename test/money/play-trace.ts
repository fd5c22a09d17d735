// Plays a trace of the model (model/payments.pml) against the real protocol, a real journal and the ledger of the scripted service.
// What chance decides in the model (when time passes, what the service does, who is killed) is taken from the trace. What svc does is
// not: each step that the trace has must be the one that svc takes next, and must end the same.
import {setImmediate as nextTurn} from 'node:timers/promises'
import {type Fetch, WireError} from '../../src/client/http.ts'
import {SvcError} from '../../src/errors.ts'
import type {Journal} from '../../src/payments/journal/journal.ts'
import {describeThisProcess} from '../../src/payments/journal/owner.ts'
import {SqliteJournal, journalSchema} from '../../src/payments/journal/sqlite/sqlite-journal.ts'
import type {PaymentContext} from '../../src/payments/protocol/context.ts'
import {payOnce} from '../../src/payments/protocol/drive.ts'
import {CustomerLists} from '../../src/payments/protocol/lists.ts'
import type {Action} from '../../src/payments/protocol/next.ts'
import type {Payment} from '../../src/payments/protocol/payment.ts'
import type {Service} from '../../src/payments/protocol/service.ts'
import {SqliteConnection} from '../../src/storage/sqlite.ts'
import {createBehaviour} from '../support/scripted/behaviour.ts'
import {ServiceClock} from '../support/scripted/clock.ts'
import {type CreationRequest, Ledger} from '../support/scripted/ledger.ts'
import {JournalInMemory, connect, content, serviceId} from './connect.ts'
import {transaction} from '../support/transactions.ts'

// Longer than every tolerance of the protocol. A quote lives for one tick, and a transaction is listed within one.
const tickMs = 400_000
const startMs = Date.parse('2026-11-15T12:00:00Z')
const busyWaitMs = 5_000

// The states by their numbers in the model.
const stateNumbers = ['', 'INTENDED', 'QUOTED', 'ARMED', 'CREATED', 'REJECTED', 'UNKNOWN', 'ABANDONED'] as const

// The replies by their numbers in the model; from `made` on they are transactions.
const replies = {refused: 1, reused: 2, made: 3}

class Killed extends Error {
  override name = 'Killed'
}

class Diverged extends Error {
  override name = 'Diverged'
}

// A step that svc wants to take, and the way to let it.
interface PendingStep {
  kind: 'find' | 'lease' | 'commit' | 'renew' | 'release' | 'pause' | 'quote' | 'send' | 'page'
  // Does it, now. What it returns or throws, svc hears when it is resumed.
  act: () => Promise<unknown>
  resolve: (value: unknown) => void
  reject: (error: unknown) => void
  detail: unknown
}

// The action of the protocol in which svc takes the step of an event. A payment that was made is read again after its end, or without
// any action.
const actions: ReadonlyArray<[event: RegExp, ...actions: Array<Action['do'] | undefined>]> = [
  [/^reads|^list fails/, 'search', 'end', undefined],
  [/^is quoted/, 'quote'],
  [/^commits 2/, 'quote'],
  [/^commits 3/, 'arm'],
  [/^commits 4/, 'create'],
  [/^commits 6/, 'record', 'arm'],
  [/^commits/, 'record'],
  [/^may send|^sends|^hears|^cannot connect/, 'send'],
]

// Steps of which the trace has no event: they are taken when svc wants them.
const silentKinds: ReadonlySet<PendingStep['kind']> = new Set(['renew', 'release', 'pause'])

interface Page {
  token: string | null
}

// The model has the clock of the service alone. That of the machine, which has to agree before a payment is given up, always does.
const withoutLocalClock = (payment: Payment): Payment => ({
  ...payment,
  attempts: payment.attempts.map(({armed, ...attempt}) => ({
    ...attempt,
    ...(armed && {armed: {...armed, locallyAt: 0}}),
  })),
})

// One run of svc. It stops before each step until the trace lets it go on.
class Run {
  pending: PendingStep | undefined
  // Lets svc go on after the step that it has taken last.
  resume: () => void = () => {}
  code: number | undefined
  failure: unknown
  isDead = false
  // Set while svc has a reply of the service and is kept from using it.
  held: (() => void) | undefined
  // While the trace wants no quote, each request for one fails.
  hasNoQuote = false
  // The states that svc is to note before its next step.
  notes: string[] = []
  // Whether the trace ends this run next, so that svc may wait no longer.
  isToEnd = false
  action: Action['do'] | undefined
  readonly owner = describeThisProcess()

  // Svc has read a reply, and uses it at the time of the next event.
  hold(): Promise<void> {
    if (this.isDead) return Promise.reject(new Killed())
    return new Promise((resolve) => {
      this.held = () => {
        this.held = undefined
        resolve()
      }
    })
  }

  step<T>(kind: PendingStep['kind'], act: () => Promise<T>, detail?: unknown): Promise<T> {
    if (this.isDead) return Promise.reject(new Killed())
    return new Promise((resolve, reject) => {
      this.pending = {kind, act, resolve: resolve as (value: unknown) => void, reject, detail}
    })
  }
}

const turnsMax = 2_000

export interface Trace {
  seed: number
  events: readonly string[]
}

export interface Played {
  events: number
  // How runs ended, in their order: codes, and `killed`.
  endings: string[]
  made: number
}

const reply = (status: number, body: unknown, date: string) => ({
  status,
  statusText: '',
  ok: status >= 200 && status < 300,
  headers: {get: (name: string) => (name.toLowerCase() === 'date' ? date : null)},
  body: true as const,
  text: async () => JSON.stringify(body),
})

const fillers = [transaction(901), transaction(902)]

export class TracePlayer {
  readonly #journals: Array<{connection: SqliteConnection; journal: SqliteJournal}>
  readonly #clock = new ServiceClock()

  constructor() {
    this.#clock.freeze(startMs)
    this.#journals = [0, 1].map((number) => {
      const file = `file:svc-traces-${process.pid}-${number}?vfs=memdb`
      const connection = new SqliteConnection(file, busyWaitMs)
      connection.database.exec(journalSchema)
      return {connection, journal: new JournalInMemory(connection, file, () => this.#clock.now())}
    })
  }

  close(): void {
    for (const {journal} of this.#journals) void journal.close()
  }

  // Throws if svc does something else than the model.
  async play(trace: Trace, hasTwoHosts: boolean): Promise<Played> {
    return new Performance(trace, {journals: this.#journals, clock: this.#clock, hasTwoHosts}).play()
  }
}

interface Stage {
  journals: ReadonlyArray<{connection: SqliteConnection; journal: SqliteJournal}>
  clock: ServiceClock
  hasTwoHosts: boolean
}

// Replies are read when they arrive, and used when the trace goes on.
function holdReplies(service: Service, run: Run): Service {
  const hold = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work
    } finally {
      if (!run.hasNoQuote) await run.hold()
    }
  }
  return {
    quote: (...given) => hold(service.quote(...given)),
    send: (...given) => hold(service.send(...given)),
    // The end of a list is no reply.
    async *transactions(...given) {
      try {
        for await (const page of service.transactions(...given)) {
          await run.hold()
          yield page
        }
      } catch (error) {
        await run.hold()
        throw error
      }
    },
  }
}

class Performance {
  readonly #trace: Trace
  readonly #stage: Stage
  readonly #key: string
  readonly #behaviour = createBehaviour()
  readonly #ledger: Ledger
  readonly #runs: Array<Run | undefined> = []
  readonly #endings: string[] = []
  // Requests in flight by their slots in the model, the replies of those that were answered, and the pages of listed transactions.
  readonly #requests = new Map<number, CreationRequest>()
  readonly #pages = new Map<number, number>()
  #trust = {mayResend: false, areKeysHonoured: false}

  constructor(trace: Trace, stage: Stage) {
    this.#trace = trace
    this.#stage = stage
    this.#key = `trace-${trace.seed}`
    Object.assign(this.#behaviour, {quoteLifeMs: tickMs})
    this.#ledger = new Ledger({
      behaviour: this.#behaviour,
      clock: stage.clock,
      alter: (item) => ({...item, transactionId: `${String(item['transactionId'])}-${trace.seed}`}),
      unknownIds: new Set(),
    })
  }

  async play(): Promise<Played> {
    const {events} = this.#trace
    let played = 0
    for (const [index, event] of events.entries()) {
      const [, who = '', what = ''] = /^@(\w+) (.*)$/.exec(event) ?? []
      try {
        if (who === 'time') this.#passTick()
        else if (who === 'service') this.#playService(what.split(' '))
        else await this.#playProcess(Number(who), what, events.slice(index + 1))
      } catch (error) {
        this.#stop()
        const past = events.slice(Math.max(0, index - 25), index + 1).join('\n')
        throw new Diverged(`seed ${this.#trace.seed}: ${String(error)}\n${past}`, {cause: error})
      }
      played++
    }
    const result = {events: played, endings: [...this.#endings], made: this.#ledger.made.length}
    this.#stop()
    return result
  }

  // Processes renew their leases all the time.
  #passTick(): void {
    this.#stage.clock.advance(tickMs)
    const sql = 'update payments set renewed_at = ? where key = ? and owner is not null'
    for (const {connection} of this.#stage.journals) connection.prepare(sql).run(this.#stage.clock.now(), this.#key)
  }

  // Ends the runs that the trace leaves in the middle.
  #stop(): void {
    for (const [me, run] of this.#runs.entries()) if (run) this.#kill(me, run)
  }

  #playService([what = '', ...given]: string[]): void {
    const numbers = given.map(Number)
    const [first = 0, second = 0, third = 0, fourth = 0] = numbers
    if (what === 'has') {
      this.#behaviour.keys = first === 1 ? 'honoured' : first === 2 ? 'per-body' : 'ignored'
      this.#behaviour.quotes = second === 1 ? 'single' : 'many'
      this.#trust = {areKeysHonoured: third === 1, mayResend: fourth === 1}
    } else if (what === 'makes') {
      const outcome = this.#ledger.create(this.#requests.get(first) as CreationRequest)
      if (!('made' in outcome) || this.#ledger.made[second] !== outcome.made) throw new Error('the ledger made nothing')
    } else if (what === 'refuses' && given[1] === 'expired') {
      const outcome = this.#ledger.create(this.#requests.get(first) as CreationRequest)
      if ('made' in outcome) throw new Error('the ledger executed an expired quote')
    } else if (what === 'lists' || what === 'moves') this.#pages.set(first, second)
  }

  // Waits until svc wants to take a step. Steps of which the trace has no event are taken on the way.
  async #awaitStep(run: Run, isWanted: (step: PendingStep) => boolean): Promise<PendingStep> {
    run.resume()
    run.resume = () => {}
    for (let turn = 0; turn < turnsMax; turn++) {
      const {pending} = run
      if (pending && isWanted(pending)) {
        run.pending = undefined
        return pending
      }
      if (pending && (silentKinds.has(pending.kind) || (pending.kind === 'quote' && run.hasNoQuote))) {
        run.pending = undefined
        pending.act().then(pending.resolve, pending.reject)
      } else if (pending) throw new Error(`svc wants to ${pending.kind} ${JSON.stringify(pending.detail ?? '')}`)
      if (run.code !== undefined) throw new Error(`svc has ended with ${run.code}: ${String(run.failure)}`)
      await nextTurn()
    }
    throw new Error('svc does nothing')
  }

  // Takes the step now. Svc goes on with the next event of its process, at the time of that event.
  async #take(run: Run, kind: PendingStep['kind'], isGoingOn = false): Promise<PendingStep> {
    const step = await this.#awaitStep(run, (one) => one.kind === kind)
    const taken = await step.act().then(
      (value) => () => step.resolve(value),
      (error: unknown) => () => step.reject(error),
    )
    if (isGoingOn) taken()
    else run.resume = taken
    return step
  }

  async #playProcess(me: number, what: string, rest: readonly string[]): Promise<void> {
    if (what === 'starts') {
      this.#runs[me] = this.#start(me)
      return
    }
    const run = this.#runs[me]
    if (!run) throw new Error('no run has started')
    const next = rest.find((event) => event.startsWith(`@${me} `))
    const [word = '', ...given] = what.split(' ')
    const number = Number(given.at(-1))
    if (word === 'finds') await this.#take(run, 'find')
    else if (word === 'leases') await this.#playLease(run, next?.startsWith(`@${me} ends`) ?? false)
    else if (what === 'waits') await this.#take(run, 'lease')
    else if (word === 'reads' || what === 'list fails') await this.#playPage(run, what)
    else if (what === 'gets no quote') run.hasNoQuote = true
    else if (what.startsWith('is quoted')) await this.#playQuote(run)
    else if (word === 'commits') await this.#playCommit(run, number)
    else if (what === 'may send') await this.#playCheck(run)
    else if (what === 'cannot connect') await this.#refuseConnection(run)
    else if (word === 'sends') await this.#playSend(run, number)
    else if (word === 'hears') await this.#hear(run, what === 'hears nothing' ? 0 : number)
    else if (what === 'is killed') this.#kill(me, run)
    else if (word === 'ends') await this.#end(me, run, number)
    const [, ...wanted] = actions.find(([pattern]) => pattern.test(what)) ?? [/./, run.action]
    if (!wanted.includes(run.action)) throw new Error(`svc is at ${run.action} in "${what}"`)
    // Svc may wait no longer once the trace ends the run.
    run.isToEnd = next?.startsWith(`@${me} ends`) ?? false
  }

  // A run that ends with what it finds under the lease returns it at once in the model, so that another one may take it before the end.
  async #playLease(run: Run, isLast: boolean): Promise<void> {
    await this.#take(run, 'lease', isLast)
    if (!isLast) return
    for (let turn = 0; turn < turnsMax; turn++) {
      const {pending} = run
      if (pending && pending.kind !== 'release') return
      run.pending = undefined
      if (pending) return void pending.act().then(pending.resolve, pending.reject)
      await nextTurn()
    }
  }

  // The life of the quote is judged at the time of the check, with what svc does next.
  async #playCheck(run: Run): Promise<void> {
    await this.#take(run, 'renew', true)
    for (let turn = 0; !run.pending; turn++) {
      if (turn > turnsMax) throw new Error('svc does not go on after the check')
      await nextTurn()
    }
  }

  async #playQuote(run: Run): Promise<void> {
    const step = await this.#awaitStep(run, ({kind}) => kind === 'quote')
    const response = await step.act()
    await this.#deliver(run, () => step.resolve(response))
  }

  async #playPage(run: Run, what: string): Promise<void> {
    const step = await this.#awaitStep(run, ({kind}) => kind === 'page')
    const isSecond = what === 'list fails' || what.startsWith('reads page 2')
    if (((step.detail as Page).token !== null) !== isSecond) throw new Error(`svc reads another page than in "${what}"`)
    const date = this.#formatDate()
    const response =
      what === 'list fails'
        ? reply(503, {error: 'UNAVAILABLE', message: 'Try again later', statusCode: 503}, date)
        : reply(200, this.#listPage(isSecond ? 2 : 1), date)
    await this.#deliver(run, () => step.resolve(response))
  }

  // The reply arrives now, and is used with the next event.
  async #deliver(run: Run, arrive: () => void): Promise<void> {
    arrive()
    for (let turn = 0; !run.held; turn++) {
      if (turn > turnsMax) throw new Error('svc does not read the reply')
      await nextTurn()
    }
    const use = run.held
    run.resume = use
  }

  #listPage(page: number): object {
    const own = this.#ledger.made.flatMap(({item}, index) => (this.#pages.get(index) === page ? [item] : []))
    const transactions = structuredClone([...own, fillers[page - 1]])
    return {transactions, ...(page === 1 && {nextPageToken: 'page-2'})}
  }

  async #playCommit(run: Run, number: number): Promise<void> {
    const state = stateNumbers[number]
    // Svc goes on after a note without a step, so it takes it at the time of the next event.
    if (state === 'QUOTED') return void run.notes.push(state)
    const {detail} = await this.#take(run, 'commit')
    if (run.notes.length > 0) throw new Error(`svc has not noted ${run.notes.join()}`)
    if (detail !== state) throw new Error(`svc commits ${String(detail)}, not ${state}`)
  }

  async #refuseConnection(run: Run): Promise<void> {
    const step = await this.#awaitStep(run, ({kind}) => kind === 'send')
    await this.#deliver(run, () => step.reject(new WireError('ECONNREFUSED', 'nobody listens', false)))
  }

  async #playSend(run: Run, slot: number): Promise<void> {
    const step = await this.#awaitStep(run, ({kind}) => kind === 'send')
    this.#requests.set(slot, step.detail as CreationRequest)
    run.pending = {...step, kind: 'send'}
  }

  async #hear(run: Run, number: number): Promise<void> {
    const step = run.pending
    run.pending = undefined
    const date = this.#formatDate()
    await this.#deliver(run, () => {
      if (number === 0) step?.reject(new WireError('TIMEOUT', 'no whole reply came in time', true))
      else step?.resolve(this.#answer(number, date))
    })
  }

  #answer(number: number, date: string) {
    if (number === replies.refused) {
      return reply(400, {error: 'BAD_REQUEST', message: 'This cannot be paid', statusCode: 400}, date)
    }
    if (number === replies.reused) {
      return reply(409, {error: 'CONFLICT', message: 'The idempotency key was used before', statusCode: 409}, date)
    }
    return reply(200, structuredClone(this.#ledger.made[number - replies.made]?.item), date)
  }

  // A killed process takes no further step, and others see that it has ended.
  #kill(me: number, run: Run): void {
    this.#runs[me] = undefined
    this.#endings.push('killed')
    // What is left of the run unwinds, and every further step of it fails.
    run.isDead = true
    run.resume()
    run.pending?.reject(new Killed())
    const sql =
      "update payments set owner = json_set(owner, '$.began', 'gone') where key = ? and json_extract(owner, '$.run') = ?"
    this.#getJournal(me).connection.prepare(sql).run(this.#key, run.owner.run)
  }

  async #end(me: number, run: Run, code: number): Promise<void> {
    run.isToEnd = true
    run.resume()
    run.resume = () => {}
    for (let turn = 0; run.code === undefined; turn++) {
      const {pending} = run
      if (pending && !silentKinds.has(pending.kind) && !(pending.kind === 'quote' && run.hasNoQuote)) {
        throw new Error(`svc wants to ${pending.kind} ${JSON.stringify(pending.detail ?? '')} instead of ending`)
      }
      run.pending = undefined
      if (pending) pending.act().then(pending.resolve, pending.reject)
      if (turn > turnsMax) throw new Error('svc does not end')
      await nextTurn()
    }
    if (run.code !== code) throw new Error(`svc ends with ${run.code}: ${String(run.failure)}`)
    this.#runs[me] = undefined
    this.#endings.push(String(code))
  }

  #formatDate = () => new Date(this.#stage.clock.now()).toUTCString()

  #getJournal(me: number) {
    const found = this.#stage.journals[this.#stage.hasTwoHosts ? me : 0]
    if (!found) throw new Error('there is no such journal')
    return found
  }

  async #pay(run: Run, context: PaymentContext): Promise<void> {
    try {
      await payOnce(context, {intent: {serviceId, key: this.#key, content}, limits: {}, isGuaranteed: false})
      run.code = 0
    } catch (error) {
      run.failure = error
      run.code = error instanceof SvcError ? error.exitCode : -1
    }
  }

  #start(me: number): Run {
    const run = new Run()
    void this.#pay(run, this.#createContext(me, run))
    return run
  }

  #createContext(me: number, run: Run): PaymentContext {
    const now = () => this.#stage.clock.now()
    const {clock, service: connected} = connect(this.#createFetch(run), now)
    const service = holdReplies(connected, run)
    const journal = this.#wrapJournal(this.#getJournal(me).journal, run)
    return {
      service,
      lists: new CustomerLists({service, journal, clock, listLagMaxMs: tickMs}),
      journal,
      clock,
      owner: run.owner,
      controls: {},
      ...this.#trust,
      listLagMaxMs: tickMs,
      pause: () => run.step('pause', async () => {}),
      onAction: (action) => void (run.action = action.do),
      remainingMs: () => (run.isToEnd ? 0 : Number.POSITIVE_INFINITY),
    }
  }

  #createFetch(run: Run): Fetch {
    return (url, {method, headers, body}) => {
      const {pathname, searchParams} = new URL(url)
      const date = this.#formatDate
      if (pathname === '/quotes') {
        return run.step('quote', async () => {
          if (run.hasNoQuote) return reply(503, {error: 'UNAVAILABLE', message: 'Later', statusCode: 503}, date())
          const quote = this.#ledger.quote(JSON.parse(String(body)) as Record<string, unknown>)
          if ('status' in quote) throw new Error(quote.message)
          return reply(200, quote.reply, date())
        })
      }
      const key = new Map(headers).get('x-idempotency-key') ?? ''
      const unanswered = () => Promise.reject(new Error('the trace answers'))
      if (method === 'POST') return run.step('send', unanswered, {key, body: String(body)} satisfies CreationRequest)
      return run.step('page', unanswered, {token: searchParams.get('pageToken')} satisfies Page)
    }
  }

  #wrapJournal(journal: SqliteJournal, run: Run): Journal {
    const wrapped: Partial<Journal> = {
      find: (...given) => run.step('find', () => journal.find(...given)),
      acquireLease: (...given) => run.step('lease', () => journal.acquireLease(...given)),
      renewLease: (lease) => run.step('renew', () => journal.renewLease(lease)),
      releaseLease: (lease) => run.step('release', () => journal.releaseLease(lease)),
      note(lease, payment, entry) {
        if (run.isDead) throw new Killed()
        const state = run.notes.shift()
        if (payment.state !== state) throw new Error(`svc notes ${payment.state}, not ${state}`)
        return journal.note(lease, payment, entry)
      },
      commit: (lease, payment, ...more) =>
        run.step('commit', () => journal.commit(lease, withoutLocalClock(payment), ...more), payment.state),
    }
    return new Proxy(journal, {
      get: (target, name) => {
        const own: unknown = Reflect.get(wrapped, name)
        if (own !== undefined) return own
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
}
