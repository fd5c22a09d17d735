// Random stories of hosts that pay the same keys with a careless service: faults, lags, reruns, changed contents and time, all
// from one seed. Each returns what was wrong.
import {type Random, createRandom} from '../support/random.ts'
import {type PaymentService, refusal, servePayments} from '../support/scripted-service.ts'
import {type Behaviour, type Step, pickSpelling} from '../support/scripted/behaviour.ts'
import {type Speaker, parseJson, readFindings, readRows} from '../support/spoken-words.ts'
import {type RunResult, run} from '../support/svc.ts'
import {createQuoteBody} from '../support/transactions.ts'
import {type LedgerEntry, hasEndedBadly} from '../support/word-oracle.ts'
import {type Said, type StoryRecord, findLies} from './oracle.ts'
import {
  type Host,
  briefly,
  createHost,
  createRows,
  payAs,
  readResultFile,
  runPayouts,
} from '../features/security/attack.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const keys = ['row-1', 'row-2', 'row-3']
// Several transactions of one key stay unknown until a person decides.
const endStates = new Set(['CREATED', 'ENDED_BADLY', 'SEVERAL_TRANSACTIONS'])
const readEnd = ({state, error}: Record<string, unknown>) =>
  state === 'UNKNOWN' ? (error as {error: string}).error : String(state)

const drawBehaviour = ({pick}: Random): Partial<Behaviour> => ({
  keys: pick(['honoured', 'refused', 'per-body', 'other-body-refused', 'ignored', 'ignored']),
  keyRefusal: pick([refusal(409, 'CONFLICT', 'Conflict'), refusal(400, 'BAD_REQUEST', 'Idempotency key already used')]),
  keysForgottenAfterMs: pick([Infinity, Infinity, minuteMs]),
  areRefusalsReplayed: pick([false, false, true]),
  quotes: pick(['single', 'many', 'replayed']),
  areQuotesCached: pick([false, false, true]),
  listLagMs: pick([0, 0, 30 * secondMs, 5 * minuteMs]),
  listOrder: pick(['newest', 'oldest', 'updated', 'mixed']),
  pageItemsMax: pick([1, 2, 100]),
  dateSkewMs: pick([0, 0, -3 * secondMs, 3 * secondMs]),
  status: pick(['CREATED', 'PROCESSING', 'COMPLETED', 'FAILED']),
})

// Each leaves open whether the payment was made.
const brokenReplies: ReadonlyArray<NonNullable<Step['reply']>> = [
  'reset',
  'truncated',
  {status: 200, body: 'not JSON'},
  {status: 200, body: {}},
  {status: 502, body: '<html>'},
]
const unclearReplies = [
  refusal(500, 'INTERNAL_ERROR', 'Something broke'),
  refusal(409, 'CONFLICT', 'In progress'),
  refusal(499, 'CLOSED', 'The client went away'),
  refusal(429, 'SLOW_DOWN', 'Slow down'),
]
const usedRefusals = [
  refusal(422, 'X', 'The idempotency key was used before'),
  refusal(422, 'QUOTE_USED', 'The quote was used before'),
]
const plainRefusals = [refusal(400, 'BAD_REQUEST', 'Not today'), refusal(422, 'NO_FUNDS', 'The balance is too small')]

function drawStep({pick}: Random, {keys: keyBehaviour, keysForgottenAfterMs, listLagMs}: Behaviour): Step {
  // A service that refuses what it makes all the same, and makes or lists it late, may make it twice unless it honours keys. That is
  // outside of what svc promises (docs/assumptions.md, P6).
  const areKeysKept = keyBehaviour === 'honoured' && keysForgottenAfterMs === Infinity
  const unclear = [...unclearReplies, ...(areKeysKept ? usedRefusals : [])]
  const isListedInTime = listLagMs === 0 || areKeysKept
  const replies = [...brokenReplies, ...unclearReplies, ...(isListedInTime ? usedRefusals : [])]
  const kind = pick(['reply', 'reply', 'late', 'lost', 'refused', 'contradicted', 'list', 'quote'] as const)
  if (kind === 'reply') return {reply: pick(replies)}
  if (kind === 'late') {
    const reply = pick([undefined, 'reset', ...unclear] as const)
    return {acts: {afterMs: pick([5 * secondMs, 90 * secondMs, 4 * minuteMs])}, ...(reply && {reply})}
  }
  if (kind === 'lost') return {acts: 'never', reply: pick([...brokenReplies, ...unclearReplies, ...usedRefusals])}
  if (kind === 'refused') return {acts: 'never', reply: pick(plainRefusals)}
  if (kind === 'contradicted') return {reply: pick(isListedInTime ? plainRefusals : replies)}
  const failure = pick([refusal(503, 'NOT_NOW', 'Not now'), refusal(403, 'FORBIDDEN', 'No'), 'reset'] as const)
  return {at: kind === 'list' ? 'GET /transactions' : 'POST /quotes', reply: failure, times: pick([1, 4])}
}

export interface Story extends StoryRecord {
  problems: string[]
  events: string[]
}

interface Stage {
  service: PaymentService
  hosts: Host[]
  random: Random
  said: Said[]
  // Those that transactions were created from, and may be again.
  quoteIds: string[]
  problems: string[]
}

// Keys of svc are digests, so a row is known by its customer, which no other row has. What is made from a quote is named after it, as
// `svc transactions create` does.
const customers = keys.map((_, index) => `00000000-0000-4000-8000-00000000010${index}`)
const quoteCustomers = {
  'transactions create': '00000000-0000-4000-8000-000000000201',
  'api POST /transactions': '00000000-0000-4000-8000-000000000202',
}
const toKey = ({customerId, quoteId}: Record<string, unknown>) =>
  keys[customers.indexOf(String(customerId))] ?? `quote:${String(quoteId)}`
const findMade = ({transactions}: PaymentService, key: string) => transactions.filter((made) => toKey(made) === key)

const createFile = (amounts: readonly string[]) =>
  createRows(keys.length).map((row, index) => ({
    ...row,
    customer: customers[index] ?? '',
    amount: amounts[index] ?? row.amount,
  }))

const readLedger = ({transactions, behaviour}: PaymentService): LedgerEntry[] =>
  transactions.map((made) => {
    const madeMs = Date.parse(String(made['createdAt']))
    const listedMs = madeMs + behaviour.listLagMs
    const status = String(made['transactionStatus'])
    return {key: toKey(made), id: String(made['transactionId']), madeMs, listedMs, status}
  })

// The keys of transactions that were refused.
const listRefusedKeys = ({refused, ledger}: PaymentService) =>
  refused
    .filter(({method, path}) => method === 'POST' && path === '/transactions')
    .map(({body}) => {
      const quoteId = String(parseJson(body)['quoteId'])
      return toKey({...ledger.findQuote(quoteId)?.request, quoteId})
    })

function say(stage: Stage, speaker: Speaker, host: Host, result: RunResult, key?: string): RunResult {
  const {said, hosts, service} = stage
  const {code, out, err} = result
  said.push({
    speaker,
    host: hosts.indexOf(host),
    // The clock stands still, so what was made at this moment counts as made before.
    fromMs: service.clock.now() + 0.5,
    toMs: service.clock.now() + 1,
    madeCount: service.transactions.length,
    code,
    out,
    err,
    ...(key !== undefined && {key}),
  })
  return result
}

const runOn = async (stage: Stage, speaker: Speaker, host: Host, args: readonly string[], key?: string) =>
  say(stage, speaker, host, await run(host.home, args, {env: host.env}), key)

async function payRow(stage: Stage, host: Host, index: number, amount: string, flags = briefly) {
  const key = keys[index] ?? ''
  return say(stage, 'pay', host, await payAs(host, customers[index] ?? '', key, amount, ...flags), key)
}

async function payFile(stage: Stage, host: Host, amounts: readonly string[]): Promise<RunResult> {
  const result = await runPayouts(host, createFile(amounts), '--json', ...briefly)
  say(stage, 'payouts run', host, result)
  if (result.err.includes('.result.csv'))
    say(stage, 'payouts run --result', host, {...result, out: readResultFile(host)})
  return result
}

// A transaction from a quote: a new one, or one that was used before.
async function payQuote(stage: Stage, host: Host, speaker: keyof typeof quoteCustomers) {
  const {random, quoteIds} = stage
  const isCreation = speaker === 'transactions create'
  let quoteId = isCreation && random.next() < 0.3 ? quoteIds.at(-1) : undefined
  if (quoteId === undefined) {
    const input = JSON.stringify({
      ...createQuoteBody('4.01', 'wallet', 'externalWallet'),
      customerId: quoteCustomers[speaker],
    })
    const {out} = await run(host.home, ['api', 'POST', '/quotes', '-f', '-'], {env: host.env, input})
    const made = parseJson(out)['quoteId'] as string | number | undefined
    if (made === undefined) return 'no quote'
    quoteId = String(made)
    if (isCreation) quoteIds.push(quoteId)
  }
  const args = isCreation
    ? ['transactions', 'create', '--quote', quoteId, ...briefly]
    : ['api', 'POST', '/transactions', '--set', `quoteId=${quoteId}`, '--header', `x-idempotency-key: ${quoteId}`]
  const {code} = await runOn(stage, speaker, host, [...args, '--yes'], `quote:${quoteId}`)
  return `host ${stage.hosts.indexOf(host)} ${speaker} ${quoteId}: ${code}`
}

async function readJournal(stage: Stage, host: Host, key: string): Promise<string> {
  await runOn(stage, 'journal list', host, ['journal', 'list', '--all', '--json'])
  const {code} = await runOn(stage, 'journal show', host, ['journal', 'show', key, '--json'])
  return `host ${stage.hosts.indexOf(host)} shows ${key}: ${code}`
}

// Plays the story, then lets time settle everything.
export async function playStory(seed: number): Promise<Story> {
  const random = createRandom(seed)
  const behaviour = {...drawBehaviour(random), spelling: pickSpelling(seed)}
  const service = await servePayments(behaviour)
  service.clock.freeze()
  const isTrusted = behaviour.keys === 'honoured' && behaviour.keysForgottenAfterMs === Infinity
  const resend = random.pick(isTrusted ? ['yes', 'unknown'] : ['unknown'])
  const hosts = Array.from({length: random.pick([1, 1, 2])}, () => createHost(service, {SVC_RESEND: resend}))
  const stage: Stage = {service, hosts, random, said: [], quoteIds: [], problems: []}
  const events = [`${JSON.stringify(behaviour)} ${hosts.length} hosts, resend ${resend}`]
  const amounts = ['1.01', '2.01', '3.01']
  const count = random.pick([4, 7, 10])
  for (let index = 0; index < count; index += 1) events.push(await playEvent(stage, amounts))
  await settleStory(stage, amounts, events)
  const isWeak =
    hosts.length > 1 &&
    (behaviour.keys === 'ignored' || behaviour.keys === 'per-body' || behaviour.keysForgottenAfterMs !== Infinity)
  for (const key of [...keys, ...stage.quoteIds.map((id) => `quote:${id}`)]) {
    const made = findMade(service, key).length
    if (made > (isWeak ? hosts.length : 1)) stage.problems.push(`${key} was made ${made} times`)
  }
  const {said, problems} = stage
  const refusedKeys = new Set(listRefusedKeys(service))
  const story = {said, ledger: readLedger(service), refusedKeys, hostCount: hosts.length, problems, events}
  return {...story, problems: [...problems, ...findLies(story)]}
}

async function playEvent(stage: Stage, amounts: string[]): Promise<string> {
  const {service, hosts, random} = stage
  const kind = random.pick([
    'pay',
    'pay',
    'file',
    'transactions create',
    'api POST /transactions',
    'journal',
    'step',
    'step',
    'step',
    'time',
    'time',
    'amount',
    'tokens',
    'status',
    'date',
    'update',
  ] as const)
  const index = random.pick([0, 1, 2])
  if (kind === 'step') {
    const step = drawStep(random, service.behaviour)
    service.script(step)
    return JSON.stringify(step)
  }
  if (kind === 'tokens') {
    service.behaviour.deadPageTokens.times = random.pick([0, 1, 1, 5])
    return `${service.behaviour.deadPageTokens.times} dead page tokens`
  }
  if (kind === 'date') {
    const [hasDate, aheadMs] = [random.next() < 0.7, random.pick([0, 0, 13 * minuteMs, 22 * minuteMs, -13 * minuteMs])]
    Object.assign(service.behaviour, {hasDate, dateSkewMs: aheadMs})
    return hasDate ? `Date ${aheadMs / 1_000} s ahead` : 'no Date'
  }
  if (kind === 'update') {
    for (const transaction of service.transactions) {
      if (random.next() < 0.5) transaction['updatedAt'] = new Date(service.clock.now()).toISOString()
    }
    return 'some transactions are updated'
  }
  if (kind === 'status') {
    service.behaviour.status = random.pick(['PROCESSING', 'FAILED', 'EXPIRED'])
    return `transactions are ${service.behaviour.status}`
  }
  if (kind === 'time') {
    const ms = random.pick([secondMs, 20 * secondMs, 2 * minuteMs, 7 * minuteMs, 15 * minuteMs])
    service.clock.advance(ms)
    return `${ms / 1_000} s`
  }
  const host = random.pick(hosts)
  if (kind === 'transactions create' || kind === 'api POST /transactions') return payQuote(stage, host, kind)
  if (kind === 'journal') return readJournal(stage, host, keys[index] ?? '')
  if (kind === 'amount') {
    const amount = random.pick(['5.55', '6.66', '7.77'])
    const {code} = await payRow(stage, host, index, amount)
    // Where the change was accepted, the mended amount is the one to run again.
    if (code !== 2) amounts[index] = amount
    return `host ${hosts.indexOf(host)} pays ${keys[index]} with ${amount}: ${code}`
  }
  const result =
    kind === 'file' ? await payFile(stage, host, amounts) : await payRow(stage, host, index, amounts[index] ?? '')
  return `host ${hosts.indexOf(host)} ${kind} ${kind === 'file' ? '' : keys[index]}: ${result.code}`
}

// Refused, not reached, unknown or pending: svc says that it is to be run again.
const openCodes: ReadonlySet<number> = new Set([3, 4, 6, 7, 8])
const triesMax = 10

const knownFindings = new Set(['ENDED_BADLY', 'SEVERAL', 'DIFFERS', 'NOT_IN_JOURNAL'])

// Every key ends as made, as ended badly, or as made several times, which is then said.
async function settleStory(stage: Stage, amounts: readonly string[], events: string[]): Promise<void> {
  const {service, hosts, problems} = stage
  service.behaviour.deadPageTokens.times = 0
  Object.assign(service.behaviour, {hasDate: true, dateSkewMs: 0})
  const rejectedHosts = new Set<Host>()
  for (const host of hosts) {
    const codes: Array<number | null> = []
    for (let round = 0; round < 12; round += 1) {
      service.clock.advance(6 * minuteMs)
      const result = await payFile(stage, host, amounts)
      codes.push(result.code)
      const states = result.out === '' ? [] : readRows(result.out).map(readEnd)
      if (result.code === 2 || (states.length > 0 && states.every((state) => endStates.has(state)))) break
    }
    if (codes.at(-1) === 2) rejectedHosts.add(host)
    events.push(`host ${hosts.indexOf(host)} settles: ${codes.join(' ')}`)
  }
  service.clock.advance(6 * minuteMs)
  for (const host of hosts) {
    let hasOtherContent = false
    for (const [index, key] of keys.entries()) {
      let {code, err} = await payRow(stage, host, index, amounts[index] ?? '', [])
      // Where the file was rejected, this may be the first try, and meet what was scripted: it is run again as svc says.
      const isOpen = () => code !== null && openCodes.has(code) && findMade(service, key).length < 2
      for (let tries = 0; rejectedHosts.has(host) && isOpen() && tries < triesMax; tries += 1) {
        service.clock.advance(7 * minuteMs)
        ;({code, err} = await payRow(stage, host, index, amounts[index] ?? '', []))
      }
      const made = findMade(service, key)
      const hasFailed = made.some(({transactionStatus}) => hasEndedBadly({status: String(transactionStatus)}))
      const expected = made.length > 1 ? 7 : hasFailed ? 11 : 0
      const isNamed = made.length < 2 || made.every(({transactionId}) => err.includes(String(transactionId)))
      // A key with other content on another host is refused before anything is read.
      hasOtherContent ||= code === 2
      if (code !== expected && code !== 2) problems.push(`${key} ends ${code} instead of ${expected}: ${err}`)
      if (code === 7 && !isNamed) problems.push(`${key} does not name all of its transactions: ${err}`)
    }
    await settleJournal(stage, host)
    await readJournal(stage, host, keys[0] ?? '')
    const {out} = await runOn(stage, 'reconcile', host, ['reconcile', '--since', '1d', '--json'])
    const strange = readFindings(out).filter(
      ({kind}) => !knownFindings.has(String(kind)) && !(hasOtherContent && kind === 'UNSETTLED'),
    )
    if (strange.length > 0) problems.push(`reconcile: ${JSON.stringify(strange)}`)
  }
}

// What was created from quotes is settled as well.
async function settleJournal(stage: Stage, host: Host): Promise<void> {
  for (let round = 0; round < 12; round += 1) {
    stage.service.clock.advance(7 * minuteMs)
    const {code} = await runOn(stage, 'journal settle', host, ['journal', 'settle', '--yes', '--json', ...briefly])
    if (code === 0) return
  }
}
