// An HTTP service, independent of the sandbox, that follows the interface as far as payments need it. Where the interface is
// silent a test decides how it behaves (`behaviour`), what happens to single requests (`script`), and what time it is there
// (`clock`). It records every request and every transaction that was really made.
import type http from 'node:http'
import {setTimeout as wait} from 'node:timers/promises'
import {
  type Behaviour,
  type Body,
  type Refusal,
  type ScriptedStep,
  type Step,
  createBehaviour,
  refusal,
} from './scripted/behaviour.ts'
import {ServiceClock} from './scripted/clock.ts'
import {createAccounts, createCustomer, organizationId} from './scripted/entities.ts'
import {Ledger, type Outcome, parseObject} from './scripted/ledger.ts'
import {orderItems, readPage} from './scripted/list.ts'
import {type ReceivedRequest, type Service, reply, serve} from './service.ts'
import {seeded} from './transactions.ts'

export {refusal} from './scripted/behaviour.ts'
export {differences} from './scripted/differences.ts'

export interface PaymentService extends Service {
  behaviour: Behaviour
  clock: ServiceClock
  // What was really made, oldest first, whatever the list shows.
  readonly transactions: Body[]
  readonly transactionsByKey: Map<string, Body[]>
  readonly transactionsByCorrelationId: Map<string, Body[]>
  // Changes a transaction before it is stored.
  alter: (transaction: Body) => Body
  // Customers in the list. Any other customer exists as well, unless its id is in `unknownIds`; so do accounts.
  customers: Body[]
  // Further accounts of the seeded customer.
  accounts: Body[]
  unknownIds: Set<string>
  script: (step: Step) => ScriptedStep
  // Requests to a method and path, as in 'POST /transactions'.
  requestsTo: (at: string) => ReceivedRequest[]
  // Changes the form of each reply, after everything else.
  present: (answer: Answer, request: ReceivedRequest) => Answer
  // Called first for each request. Returns true if it has sent the reply itself.
  intercept: (asked: ReceivedRequest, response: http.ServerResponse) => boolean
}

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

const answerRefusal = ({status, error, message}: Refusal): Answer => ({
  status,
  body: {error, message, statusCode: status},
})

export async function servePayments(
  changes: Partial<Behaviour> = {},
  whenDone?: Parameters<typeof serve>[1],
): Promise<PaymentService> {
  const behaviour = Object.assign(createBehaviour(), changes)
  const clock = new ServiceClock()
  const unknownIds = new Set<string>()
  const ledger = new Ledger({behaviour, clock, unknownIds, alter: (transaction) => service.alter(transaction)})
  const steps: PendingStep[] = []

  const answerCreation = (outcome: Outcome): Answer =>
    'made' in outcome ? {status: 200, body: outcome.made.item} : answerRefusal(outcome.refused)

  // Does what was asked, in the way that a step says, and returns the usual reply.
  function act(request: ReceivedRequest, step: Step | undefined): Answer {
    const acts = step?.acts ?? 'at once'
    const at = `${request.method} ${request.path}`
    const credential = request.headers.authorization?.replace(/^Bearer /, '') ?? ''
    if (!behaviour.apiKeys.includes(credential)) {
      return answerRefusal(refusal(401, 'UNAUTHORIZED', 'The credential is missing, invalid or expired'))
    }
    if (at === 'POST /transactions') {
      const creation = {key: String(request.headers['x-idempotency-key'] ?? ''), body: request.body}
      if (typeof acts === 'object') ledger.createLater(creation, acts.afterMs)
      // The usual reply of a service that has not acted is a timeout of its gateway.
      if (acts !== 'at once') return answerRefusal(refusal(504, 'GATEWAY_TIMEOUT', 'No answer in time'))
      return answerCreation(ledger.create(creation))
    }
    if (at === 'POST /quotes') {
      const quote = ledger.quote(parseObject(request.body))
      return 'status' in quote ? answerRefusal(quote) : {status: 200, body: quote.reply}
    }
    return read(at, request.query)
  }

  function read(at: string, query: URLSearchParams): Answer {
    if (at === 'GET /transactions') return listTransactions(query)
    if (at === 'GET /customers') {
      const isElsewhere = (query.get('organizationId') ?? organizationId) !== organizationId
      return list('customers', 'customerId', isElsewhere ? [] : service.customers, query)
    }
    const customerId = query.get('customerId')
    if (at === 'GET /payment-accounts' && !customerId) {
      return answerRefusal(refusal(400, 'BAD_REQUEST', 'customerId is required'))
    }
    if (at === 'GET /payment-accounts') {
      const further = customerId === seeded.customer ? service.accounts : []
      return list('paymentAccounts', 'paymentAccountId', [...createAccounts(customerId ?? ''), ...further], query)
    }
    const id = /^GET \/customers?\/([^/]+)$/.exec(at)?.[1]
    if (id === undefined || unknownIds.has(id)) return answerRefusal(refusal(404, 'NOT_FOUND', 'There is nothing here'))
    const found = service.customers.find((customer) => customer['customerId'] === id) ?? createCustomer(id)
    const methods = query.get('includePaymentMethods') === 'true' ? {availablePaymentMethods: ['ACH', 'SOLANA']} : {}
    return {status: 200, body: {...found, ...methods}}
  }

  function list(name: string, idField: string, items: readonly Body[], query: URLSearchParams): Answer {
    const {pageItemsMax, deadPageTokens} = behaviour
    const page = readPage(items, query, {name, idField, pageItemsMax, deadPageTokens})
    return 'error' in page ? answerRefusal(page as Refusal) : {status: 200, body: page}
  }

  function listTransactions(query: URLSearchParams): Answer {
    ledger.catchUp()
    const customerId = query.get('customerId')
    const accountId = query.get('paymentAccountId')
    const isElsewhere = (query.get('organizationId') ?? organizationId) !== organizationId
    const isWanted = (item: Body) =>
      (customerId === null || item['customerId'] === customerId) &&
      (accountId === null || JSON.stringify([item['source'], item['destination']]).includes(JSON.stringify(accountId)))
    const visible = ledger.made.filter(
      ({item, madeAtMs}) =>
        !isElsewhere &&
        clock.now() - madeAtMs >= behaviour.listLagMs &&
        isWanted(item) &&
        !behaviour.lostIds.has(String(item['transactionId'])),
    )
    const ordered = orderItems(visible, behaviour.listOrder)
    const answer = list(
      'transactions',
      'transactionId',
      ordered.map(({item}) => item),
      query,
    )
    const shown = (answer.body as {transactions?: Body[]}).transactions?.map((item) => structuredClone(item)) ?? []
    const ids = new Set(shown.map((item) => item['transactionId']))
    for (const one of visible) if (ids.has(one.item['transactionId'])) one.reads += 1
    return answer.status === 200 ? {...answer, body: {...(answer.body as Body), transactions: shown}} : answer
  }

  function findStep(request: ReceivedRequest): PendingStep | undefined {
    const at = `${request.method} ${request.path}`
    for (const step of steps) {
      if ((step.at ?? 'POST /transactions') !== at || step.matches?.(request) === false) continue
      if (step.used >= (step.times ?? 1)) continue
      step.seen += 1
      if (step.seen <= (step.skip ?? 0)) continue
      step.used += 1
      step.hits.push(request)
      step.reach(request)
      return step
    }
    return undefined
  }

  async function handle(request: ReceivedRequest, response: http.ServerResponse): Promise<void> {
    response.sendDate = false
    const step = findStep(request)
    await step?.before
    const usual = service.present(act(request, step), request)
    // The bytes of the reply are those of this moment, whatever happens to the transaction meanwhile.
    const text = JSON.stringify(usual.body)
    if (behaviour.latencyMs > 0) await wait(behaviour.latencyMs)
    await step?.after
    const date = behaviour.hasDate ? {date: new Date(clock.now() + behaviour.dateSkewMs).toUTCString()} : {}
    if (step?.reply === 'lost') return
    if (step?.reply === 'reset') return void response.socket?.resetAndDestroy()
    if (step?.reply === 'truncated') {
      response.writeHead(usual.status, {...date, 'content-type': 'application/json', 'content-length': text.length})
      return void response.write(text.slice(0, text.length / 2), () => response.socket?.destroy())
    }
    const scripted = step?.reply && ('error' in step.reply ? answerRefusal(step.reply) : step.reply)
    const headers = {...date, ...usual.headers, ...scripted?.headers}
    reply(response, scripted?.status ?? usual.status, scripted?.body ?? text, headers)
  }

  const base = await serve((request, response) => {
    if (!service.intercept(request, response)) void handle(request, response)
  }, whenDone)
  const groupTransactions = (pick: (one: (typeof ledger.made)[number]) => string) => {
    ledger.catchUp()
    const groups = Map.groupBy(ledger.made, pick)
    return new Map([...groups].map(([name, group]) => [name, group.map(({item}) => item)]))
  }
  const service: PaymentService = {
    ...base,
    behaviour,
    clock,
    customers: [createCustomer(seeded.customer)],
    accounts: [],
    unknownIds,
    alter: (transaction) => transaction,
    present: (answer) => answer,
    intercept: () => false,
    requestsTo: (at) => base.requests.filter(({method, path}) => `${method} ${path}` === at),
    script(step) {
      const {promise: reached, resolve: reach} = Promise.withResolvers<ReceivedRequest>()
      const pending: PendingStep = {...step, seen: 0, used: 0, hits: [], reach}
      steps.push(pending)
      return {reached, hits: pending.hits, remove: () => (pending.times = 0)}
    },
    get transactions() {
      ledger.catchUp()
      return ledger.made.map(({item}) => item)
    },
    get transactionsByKey() {
      return groupTransactions(({key}) => key)
    },
    get transactionsByCorrelationId() {
      return groupTransactions(({correlationId}) => correlationId ?? '')
    },
  }
  return service
}
