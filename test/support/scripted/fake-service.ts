// A service, independent of the sandbox, that follows the interface as far as payments need it. Where the interface is silent a test
// decides how it behaves (`behaviour`), what happens to single requests (`script`), and what time it is there (`clock`). It records
// every transaction that was really made.
import type {ReceivedRequest} from '../service.ts'
import {seeded} from '../transactions.ts'
import {
  type Behaviour,
  type Body,
  type Refusal,
  type ScriptedStep,
  type Step,
  createBehaviour,
  listOrders,
  refusal,
} from './behaviour.ts'
import {ServiceClock} from './clock.ts'
import {createAccounts, createCustomer, organizationId} from './entities.ts'
import {type Decide, Ledger, parseObject} from './ledger.ts'
import {orderItems, readPage} from './list.ts'
import type {Narrowing} from './narrowing.ts'

type PendingStep = Step & {
  seen: number
  used: number
  hits: ReceivedRequest[]
  reach: (request: ReceivedRequest) => void
}

export interface Answer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

// What goes over the wire, and what happens to it there.
export interface WireReply {
  status: number
  text: string
  headers: Record<string, string>
  breaks?: 'lost' | 'reset' | 'truncated'
  delayMs: number
}

const answerRefusal = ({status, error, message}: Refusal): Answer => ({
  status,
  body: {error, message, statusCode: status},
})

export class FakeService {
  readonly behaviour: Behaviour
  readonly clock: ServiceClock
  readonly unknownIds = new Set<string>()
  // Customers in the list. Any other customer exists as well, unless its id is in `unknownIds`; so do accounts.
  customers: Body[] = [createCustomer(seeded.customer)]
  // Further accounts of the seeded customer.
  accounts: Body[] = []
  // Changes a transaction before it is stored.
  alter = (transaction: Body): Body => transaction
  // Changes the form of each reply, after everything else.
  present = (answer: Answer, _request: ReceivedRequest): Answer => answer
  readonly ledger: Ledger
  // The kinds of services that it still may be. Without them it is the one of `behaviour`.
  narrowing: Narrowing | undefined
  #steps: PendingStep[] = []

  constructor(changes: Partial<Behaviour> = {}, clock = new ServiceClock()) {
    this.behaviour = Object.assign(createBehaviour(), changes)
    this.clock = clock
    const {behaviour, unknownIds} = this
    const alter = (transaction: Body) => this.alter(transaction)
    this.ledger = new Ledger({behaviour, decide: this.#decide, clock, unknownIds, alter})
  }

  readonly #decide: Decide = (ask) => this.narrowing?.decide(ask) ?? this.behaviour

  // What was really made, oldest first, whatever the list shows.
  get transactions(): Body[] {
    this.ledger.catchUp()
    return this.ledger.made.map(({item}) => item)
  }

  get transactionsByKey(): Map<string, Body[]> {
    this.ledger.catchUp()
    const groups = Map.groupBy(this.ledger.made, ({key}) => key)
    return new Map([...groups].map(([name, group]) => [name, group.map(({item}) => item)]))
  }

  script(step: Step): ScriptedStep {
    const {promise: reached, resolve: reach} = Promise.withResolvers<ReceivedRequest>()
    const pending: PendingStep = {...step, seen: 0, used: 0, hits: [], reach}
    this.#steps.push(pending)
    return {reached, hits: pending.hits, remove: () => (pending.times = 0)}
  }

  clearSteps(): void {
    this.#steps = []
  }

  async handle(request: ReceivedRequest): Promise<WireReply> {
    const {behaviour, clock} = this
    const step = this.#findStep(request)
    await step?.before
    const usual = this.present(this.#act(request, step), request)
    // The bytes of the reply are those of this moment, whatever happens to the transaction meanwhile.
    const text = JSON.stringify(usual.body)
    await step?.after
    const date = behaviour.hasDate ? {date: new Date(clock.now() + behaviour.dateSkewMs).toUTCString()} : {}
    const delayMs = step?.delayMs ?? 0
    const {reply} = step ?? {}
    if (typeof reply === 'string') return {status: usual.status, text, headers: date, breaks: reply, delayMs}
    const scripted = reply && ('error' in reply ? answerRefusal(reply) : reply)
    const {status, body, headers} = scripted ?? usual
    const sent = scripted ? (typeof body === 'string' ? body : JSON.stringify(body)) : text
    return {status, text: sent, headers: {...date, ...usual.headers, ...headers}, delayMs}
  }

  #findStep(request: ReceivedRequest): PendingStep | undefined {
    const at = `${request.method} ${request.path}`
    for (const step of this.#steps) {
      if ((step.at ?? 'POST /transactions') !== at || step.matches?.(request) === false) continue
      const isOver = ({stepTimes}: Behaviour) => step.used >= (step.times ?? stepTimes)
      if (isOver(this.#decide(isOver))) continue
      step.seen += 1
      if (step.seen <= (step.skip ?? 0)) continue
      step.used += 1
      step.hits.push(request)
      step.reach(request)
      return step
    }
    return undefined
  }

  // Does what was asked, in the way that a step says, and returns the usual reply.
  #act(request: ReceivedRequest, step: Step | undefined): Answer {
    const acts = step?.acts ?? 'at once'
    const at = `${request.method} ${request.path}`
    const credential = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    if (!this.behaviour.apiKeys.includes(credential)) {
      return answerRefusal(refusal(401, 'UNAUTHORIZED', 'The credential is missing, invalid or expired'))
    }
    if (at === 'POST /transactions') {
      const creation = {key: String(request.headers['x-idempotency-key'] ?? ''), body: request.body}
      if (typeof acts === 'object') this.ledger.createLater(creation, acts.afterMs)
      // The usual reply of a service that has not acted is a timeout of its gateway.
      if (acts !== 'at once') return answerRefusal(refusal(504, 'GATEWAY_TIMEOUT', 'No answer in time'))
      const outcome = this.ledger.create(creation)
      return 'made' in outcome ? {status: 200, body: outcome.made.item} : answerRefusal(outcome.refused)
    }
    if (at === 'POST /quotes') {
      const quote = this.ledger.quote(parseObject(request.body))
      return 'status' in quote ? answerRefusal(quote) : {status: 200, body: quote.reply}
    }
    return this.#read(at, request.query)
  }

  #read(at: string, query: URLSearchParams): Answer {
    if (at === 'GET /transactions') return this.#listTransactions(query)
    if (at === 'GET /customers') {
      const isElsewhere = (query.get('organizationId') ?? organizationId) !== organizationId
      return this.#list('customers', 'customerId', isElsewhere ? [] : this.customers, query)
    }
    const customerId = query.get('customerId')
    if (at === 'GET /payment-accounts' && !customerId) {
      return answerRefusal(refusal(400, 'BAD_REQUEST', 'customerId is required'))
    }
    if (at === 'GET /payment-accounts') {
      const further = customerId === seeded.customer ? this.accounts : []
      return this.#list('paymentAccounts', 'paymentAccountId', [...createAccounts(customerId ?? ''), ...further], query)
    }
    const id = /^GET \/customers?\/([^/]+)$/.exec(at)?.[1]
    if (id === undefined || this.unknownIds.has(id))
      return answerRefusal(refusal(404, 'NOT_FOUND', 'There is nothing here'))
    const found = this.customers.find((customer) => customer['customerId'] === id) ?? createCustomer(id)
    const methods = query.get('includePaymentMethods') === 'true' ? {availablePaymentMethods: ['ACH', 'SOLANA']} : {}
    return {status: 200, body: {...found, ...methods}}
  }

  #list(name: string, idField: string, items: readonly Body[], query: URLSearchParams): Answer {
    const page = readPage(items, query, {...this.behaviour, name, idField})
    return 'error' in page ? answerRefusal(page as Refusal) : {status: 200, body: page}
  }

  #listTransactions(query: URLSearchParams): Answer {
    const {behaviour, clock, ledger} = this
    ledger.catchUp()
    const customerId = query.get('customerId')
    const accountId = query.get('paymentAccountId')
    const isElsewhere = (query.get('organizationId') ?? organizationId) !== organizationId
    const isWanted = (item: Body) =>
      (customerId === null || item['customerId'] === customerId) &&
      (accountId === null || JSON.stringify([item['source'], item['destination']]).includes(JSON.stringify(accountId)))
    const wanted = ledger.made.filter(
      ({item}) => !isElsewhere && isWanted(item) && !behaviour.lostIds.has(String(item['transactionId'])),
    )
    const isListed =
      ({listLagMs}: Behaviour) =>
      ({madeAtMs}: {madeAtMs: number}) =>
        clock.now() - madeAtMs >= listLagMs
    const visible = wanted.filter(isListed(this.#decide((one) => wanted.filter(isListed(one)).length)))
    const ordered = orderItems(visible, behaviour.listOrder).map(({item}) => item)
    const answer = this.#list('transactions', 'transactionId', ordered, query)
    const {transactions: page = [], nextPageToken} = answer.body as {transactions?: Body[]; nextPageToken?: string}
    const shown = new Set(page.map((item) => item['transactionId']))
    for (const one of visible) if (shown.has(one.item['transactionId'])) one.reads += 1
    if (nextPageToken === undefined || behaviour.listMoves.length === 0) return answer
    // The reply has what was listed before it moves.
    const read = {...(answer.body as Body), transactions: page.map((item) => ({...item}))}
    this.#moveList(page, ordered)
    return {...answer, body: read}
  }

  // Between this page of the list and its next one.
  #moveList(page: readonly Body[], ordered: readonly Body[]): void {
    const {behaviour, clock} = this
    const move = behaviour.listMoves.shift()
    if (move === 'hide') {
      // A token names the last item of its page, which therefore stays.
      const hidden = page
        .slice(0, behaviour.pageTokens === 'item' ? -1 : undefined)
        .find((item) => !item['correlationId'])
      if (hidden) behaviour.lostIds.add(String(hidden['transactionId']))
    }
    if (move === 'update') {
      const status = behaviour.laterStatus ? {} : {transactionStatus: 'COMPLETED'}
      Object.assign(ordered.at(-1) ?? {}, {updatedAt: new Date(clock.now()).toISOString(), ...status})
    }
    if (move === 'resort') {
      behaviour.listOrder = listOrders[(listOrders.indexOf(behaviour.listOrder) + 1) % listOrders.length] ?? 'newest'
    }
  }
}
