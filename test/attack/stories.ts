// Random stories of hosts that pay the same keys with a careless service: faults, lags, reruns, changed contents and time, all
// from one seed. Each returns what was wrong.
import {type PaymentService, refusal, servePayments} from '../support/scripted-service.ts'
import type {Behaviour, Step} from '../support/scripted/behaviour.ts'
import type {RunResult} from '../support/svc.ts'
import {
  type Claim,
  type LedgerEntry,
  findSentenceClaim,
  findUntrueWords,
  hasEndedBadly,
} from '../support/word-oracle.ts'
import {type Host, briefly, createHost, createRows, payAs, readRows, reconcile, runPayouts} from './attack.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const keys = ['row-1', 'row-2', 'row-3']
// Several transactions of one key stay unknown until a person decides.
const endStates = new Set(['CREATED', 'ENDED_BADLY', 'SEVERAL_TRANSACTIONS'])
const readEnd = ({state, error}: Record<string, unknown>) =>
  state === 'UNKNOWN' ? (error as {error: string}).error : String(state)

interface Random {
  next: () => number
  pick: <T>(list: readonly T[]) => T
}

// A small portable random generator (mulberry32).
function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {next, pick: (list) => list[Math.floor(next() * list.length)] as never}
}

const drawBehaviour = ({pick}: Random): Partial<Behaviour> => ({
  keys: pick(['honoured', 'refused', 'per-body', 'other-body-refused', 'ignored', 'ignored']),
  keyRefusal: pick([refusal(409, 'CONFLICT', 'Conflict'), refusal(400, 'BAD_REQUEST', 'Idempotency key already used')]),
  keysForgottenAfterMs: pick([Infinity, Infinity, minuteMs]),
  areRefusalsReplayed: pick([false, false, true]),
  quotes: pick(['single', 'many']),
  areQuotesCached: pick([false, false, true]),
  listLagMs: pick([0, 0, 30 * secondMs, 5 * minuteMs]),
  listOrder: pick(['newest', 'oldest', 'updated', 'mixed']),
  pageItemsMax: pick([1, 2, 100]),
  dateSkewMs: pick([0, 0, -3 * secondMs, 3 * secondMs]),
  status: pick(['CREATED', 'PROCESSING', 'COMPLETED', 'FAILED']),
})

const replies: ReadonlyArray<NonNullable<Step['reply']>> = [
  'reset',
  'truncated',
  {status: 200, body: 'not JSON'},
  {status: 200, body: {}},
  {status: 502, body: '<html>'},
  refusal(500, 'INTERNAL_ERROR', 'Something broke'),
  refusal(409, 'CONFLICT', 'In progress'),
  refusal(422, 'X', 'The idempotency key was used before'),
  refusal(422, 'QUOTE_USED', 'The quote was used before'),
  refusal(499, 'CLOSED', 'The client went away'),
  refusal(429, 'SLOW_DOWN', 'Slow down'),
]
const plainRefusals = [refusal(400, 'BAD_REQUEST', 'Not today'), refusal(422, 'NO_FUNDS', 'The balance is too small')]

function drawStep({pick}: Random): Step {
  const kind = pick(['reply', 'reply', 'late', 'lost', 'refused', 'contradicted', 'list', 'quote'] as const)
  if (kind === 'reply') return {reply: pick(replies)}
  if (kind === 'late') {
    const reply = pick([undefined, 'reset', ...replies.slice(5)] as const)
    return {acts: {afterMs: pick([5 * secondMs, 90 * secondMs, 4 * minuteMs])}, ...(reply && {reply})}
  }
  if (kind === 'lost') return {acts: 'never', reply: pick(replies)}
  if (kind === 'refused') return {acts: 'never', reply: pick(plainRefusals)}
  // The service refuses what it makes all the same.
  if (kind === 'contradicted') return {reply: pick(plainRefusals)}
  const failure = pick([refusal(503, 'NOT_NOW', 'Not now'), refusal(403, 'FORBIDDEN', 'No'), 'reset'] as const)
  return {at: kind === 'list' ? 'GET /transactions' : 'POST /quotes', reply: failure, times: pick([1, 4])}
}

export interface Story {
  problems: string[]
  events: string[]
}

interface Stage {
  service: PaymentService
  hosts: Host[]
  random: Random
  problems: string[]
}

// The transactions of a row. Keys of svc are digests, so a row is known by its customer, which no other row has.
const customers = keys.map((_, index) => `00000000-0000-4000-8000-00000000010${index}`)
const findMade = ({transactions}: PaymentService, key: string) =>
  transactions.filter(({customerId}) => customerId === customers[keys.indexOf(key)])

const createFile = (amounts: readonly string[]) =>
  createRows(keys.length).map((row, index) => ({
    ...row,
    customer: customers[index] ?? '',
    amount: amounts[index] ?? row.amount,
  }))

// What each word says. Of what another host made svc knows only once it is listed.
const claims: Record<string, Claim> = {
  CREATED: 'MADE',
  ENDED_BADLY: 'ENDED_BADLY',
  REJECTED: 'REFUSED',
  STOPPED: 'REFUSED',
  NOT_TRIED: 'REFUSED',
  NOT_MADE: 'NOT_MADE',
}

// What a state or code says of a key must be true at that moment.
function checkClaim({service, problems}: Stage, key: string, word: string, message: string): void {
  const claim = claims[word]
  if (!claim) return
  const {behaviour, clock} = service
  const ledger = findMade(service, key).map((made): LedgerEntry => {
    const madeMs = Date.parse(String(made['createdAt']))
    const listedMs = madeMs + behaviour.listLagMs
    return {key, id: String(made['transactionId']), madeMs, listedMs, status: String(made['transactionStatus'])}
  })
  // The clock stands still, so what was made at this moment counts as made before.
  const moment = {fromMs: clock.now() + 0.5, toMs: clock.now() + 1}
  problems.push(...findUntrueWords([{where: `${word} (${message})`, key, claim}], moment, {ledger}))
  if (claim === 'MADE' && ledger.some(hasEndedBadly)) problems.push(`${key} is called ${word}, and has ended badly`)
}

// The state that a code stands for.
const statesByCode: Record<number, string> = {0: 'CREATED', 3: 'REJECTED', 10: 'STOPPED', 11: 'ENDED_BADLY'}

async function payRow(stage: Stage, host: Host, index: number, amount: string, flags = briefly) {
  const key = keys[index] ?? ''
  const result = await payAs(host, customers[index] ?? '', key, amount, ...flags)
  checkClaim(stage, key, statesByCode[result.code ?? 1] ?? '', result.err)
  // What another host has made may not be listed yet.
  const isKnown = stage.hosts.length === 1
  if (findSentenceClaim(result.err)) checkClaim(stage, key, isKnown ? 'NOT_MADE' : 'REJECTED', result.err)
  if (result.code === 1) stage.problems.push(`${key} ended with a bug: ${result.err}`)
  return result
}

async function payFile(stage: Stage, host: Host, amounts: readonly string[]): Promise<RunResult> {
  const result = await runPayouts(host, createFile(amounts), '--json', ...briefly)
  if (result.code === 1) stage.problems.push(`a file ended with a bug: ${result.err}`)
  if (result.out === '') return result
  for (const row of readRows(result)) {
    checkClaim(stage, String(row['key']), String(row['state']), JSON.stringify(row['error'] ?? ''))
  }
  return result
}

// Plays the story, then lets time settle everything.
export async function playStory(seed: number): Promise<Story> {
  const random = createRandom(seed)
  const behaviour = drawBehaviour(random)
  const service = await servePayments(behaviour)
  service.clock.freeze()
  const isTrusted = behaviour.keys === 'honoured' && behaviour.keysForgottenAfterMs === Infinity
  const resend = random.pick(isTrusted ? ['yes', 'unknown'] : ['unknown'])
  const hosts = Array.from({length: random.pick([1, 1, 2])}, () => createHost(service, {SVC_RESEND: resend}))
  const stage: Stage = {service, hosts, random, problems: []}
  const events = [`${JSON.stringify(behaviour)} ${hosts.length} hosts, resend ${resend}`]
  const amounts = ['1.01', '2.01', '3.01']
  const count = random.pick([4, 7, 10])
  for (let index = 0; index < count; index += 1) events.push(await playEvent(stage, amounts))
  await settleStory(stage, amounts, events)
  const isWeak =
    hosts.length > 1 &&
    (behaviour.keys === 'ignored' || behaviour.keys === 'per-body' || behaviour.keysForgottenAfterMs !== Infinity)
  for (const key of keys) {
    const made = findMade(service, key).length
    if (made > (isWeak ? hosts.length : 1)) stage.problems.push(`${key} was made ${made} times`)
  }
  return {problems: stage.problems, events}
}

async function playEvent(stage: Stage, amounts: string[]): Promise<string> {
  const {service, hosts, random} = stage
  const kind = random.pick([
    'pay',
    'pay',
    'file',
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
    const step = drawStep(random)
    service.script(step)
    return JSON.stringify(step)
  }
  if (kind === 'tokens') {
    service.behaviour.deadPageTokens.times = random.pick([0, 1, 1, 5])
    return `${service.behaviour.deadPageTokens.times} dead page tokens`
  }
  if (kind === 'date') {
    service.behaviour.dateSkewMs = random.pick([0, 0, 13 * minuteMs, 22 * minuteMs])
    return `Date ${service.behaviour.dateSkewMs / 1_000} s ahead`
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

// Refused, unknown or pending: svc says that it is to be run again.
const openCodes: ReadonlySet<number> = new Set([3, 7, 8])
const triesMax = 10

const knownFindings = new Set(['ENDED_BADLY', 'SEVERAL', 'DIFFERS', 'NOT_IN_JOURNAL'])

// Every key ends as made, as ended badly, or as made several times, which is then said.
async function settleStory(stage: Stage, amounts: readonly string[], events: string[]): Promise<void> {
  const {service, hosts, problems} = stage
  service.behaviour.deadPageTokens.times = 0
  service.behaviour.dateSkewMs = 0
  const rejectedHosts = new Set<Host>()
  for (const host of hosts) {
    const codes: Array<number | null> = []
    for (let round = 0; round < 12; round += 1) {
      service.clock.advance(6 * minuteMs)
      const result = await payFile(stage, host, amounts)
      codes.push(result.code)
      const states = result.out === '' ? [] : readRows(result).map(readEnd)
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
    const {findings} = await reconcile(host)
    const strange = findings.filter(
      ({kind}) => !knownFindings.has(String(kind)) && !(hasOtherContent && kind === 'UNSETTLED'),
    )
    if (strange.length > 0) problems.push(`reconcile: ${JSON.stringify(strange)}`)
  }
}
