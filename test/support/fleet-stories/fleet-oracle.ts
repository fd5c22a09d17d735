// Judges a story of a fleet: every word that svc said is compared with the ledger. Pure, so that a lie can be planted in a copy.
import {
  type Body,
  findUnreported,
  parseJson,
  readFindings,
  readPayments,
  readRows,
  toFindingWords,
  toPaymentWords,
  toRowWords,
  toWord,
} from '../spoken-words.ts'
import {
  type Claim,
  type CountedWord,
  type LedgerEntry,
  type Word,
  claimsByState,
  findUntrueCounts,
  findUntrueWords,
} from '../word-oracle.ts'
import type {StoryRecord} from './play.ts'
import type {Said} from './stage.ts'

interface Told {
  words: Word[]
  counts: CountedWord[]
  // What is wrong with it, whatever the ledger has.
  problems: string[]
}

const told = ({words = [], counts = [], problems = []}: Partial<Told>): Told => ({words, counts, problems})

const parseLines = (text: string): Body[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map(parseJson)

const sum = (values: readonly unknown[]) => values.reduce<number>((total, value) => total + Number(value ?? 0), 0)

// What a summary of a batch says: the answer of status, pause, resume and cancel.
function readSummary({kind, out, batch, code}: Said, {story}: StoryRecord): Told {
  const body = parseJson(out)
  if (body['rows'] === undefined) return told({})
  const keys = story.batches[batch ?? 0]?.rows.map(({key}) => key) ?? []
  const {rows, made, waiting, inFlight, unknown, failed, cancelled} = body
  const counted = sum([made, waiting, inFlight, unknown, failed, cancelled])
  const ending = expectCode(Number(unknown), sum([failed, cancelled]), sum([waiting, inFlight]))
  const expected = kind === 'status' ? ending : 0
  return told({
    words: toRowWords(kind, (body['attention'] ?? []) as Body[]),
    counts: [
      {where: `${kind} made`, claim: 'MADE', count: Number(made), keys},
      {where: `${kind} waiting and cancelled`, claim: 'NOT_MADE', count: sum([waiting, cancelled]), keys},
    ],
    problems: [
      ...(counted === Number(rows) ? [] : [`${kind} counts ${counted} of ${Number(rows)} rows`]),
      ...(code === expected ? [] : [`${kind} ended with ${code}, though its counts say ${expected}`]),
    ],
  })
}

// Sentences such as "4 of 6 (66%), 3 made, 1 cancelled, 2 in flight".
function readSentence({kind, err, batch}: Said, {story}: StoryRecord): CountedWord[] {
  const keys = story.batches[batch ?? 0]?.rows.map(({key}) => key) ?? []
  const patterns: Array<[RegExp, CountedWord['claim']]> = [
    [/(\d+) cancelled/, 'NOT_MADE'],
    [/(\d+) made/, 'MADE'],
  ]
  return patterns.flatMap(([pattern, claim]) => {
    const count = pattern.exec(err)?.[1]
    return count === undefined ? [] : [{where: `the sentence of ${kind}`, claim, count: Number(count), keys}]
  })
}

const readCode = ({error}: Body) => (typeof error === 'object' && error ? (error as Body)['error'] : error)

const isWaiting = (row: Body) =>
  row['state'] === 'IN_PROGRESS' || (row['state'] === 'NOT_TRIED' && readCode(row) !== 'CANCELLED')

// The code of `payouts status`, from how many rows are unknown, failed or were cancelled, and are
// left.
const expectCode = (unknown: number, failed: number, left: number) =>
  unknown > 0 ? 7 : failed > 0 ? 9 : left > 0 ? 8 : 0

const resultCodes: ReadonlySet<number | null> = new Set([0, 7, 8, 9])

// The code of `payouts status --rows` follows from its rows.
function readResult({kind, out, code}: Said): Told {
  if (!resultCodes.has(code)) return told({problems: [`${kind} ended with ${code}`]})
  const rows = readRows(out)
  const unknown = rows.filter(({state}) => state === 'UNKNOWN').length
  const left = rows.filter(isWaiting).length
  const made = rows.filter(({state}) => state === 'CREATED').length
  const expected = expectCode(unknown, rows.length - unknown - left - made, left)
  return told({
    words: toRowWords(kind, rows),
    problems: code === expected ? [] : [`${kind} ended with ${code}, though its rows say ${expected}`],
  })
}

function readMetrics({kind, out}: Said, {story}: StoryRecord): Told {
  const keys = story.batches.flatMap(({rows}) => rows.map(({key}) => key))
  const samples = [...out.matchAll(/^svc_batch_rows\{state="(\w+)"\} (\d+)$/gm)]
  const count = (claim: Claim) =>
    sum(samples.filter(([, state = '']) => claimsByState[state] === claim).map((one) => one[2]))
  return told({
    counts: (['MADE', 'NOT_MADE'] as const).map((claim) => ({where: kind, claim, count: count(claim), keys})),
  })
}

const readJournal = ({kind, out}: Said): Told => told({words: toPaymentWords(kind, readPayments(out))})

// How a worker may end: well, killed, or terminated before it was ready. With 6, the database was away when it started.
const workerCodes: ReadonlySet<number | null> = new Set([0, null, 6, 7, 8, 9, 143])

const readWorkerCode = ({kind, code, err}: Said): string[] =>
  workerCodes.has(code) ? [] : [`${kind}: a worker ended with ${code}: ${err.slice(-300)}`]

// The sentence and the counts of "Of 3 rows, 2 made, 1 rejected", which the error of a worker has for each batch.
function readWork({code, err, openBatches = []}: Said, {story}: StoryRecord): Told {
  const batches = story.batches.filter(({name}) => openBatches.includes(name))
  const keys = batches.flatMap(({rows}) => rows.map(({key}) => key))
  if (code === 0) return told({words: keys.map((key) => ({where: 'the code of work', key, claim: 'MADE' as const}))})
  if (code !== 7 && code !== 9) return told({})
  const count = (...labels: string[]) =>
    sum(labels.flatMap((label) => [...err.matchAll(new RegExp(`(\\d+) ${label}`, 'g'))].map((match) => match[1])))
  const isRefusedToo = err.includes('Some rows were not paid')
  const unpaid = count('stopped', 'failed', 'cancelled', ...(isRefusedToo ? ['rejected'] : []))
  return told({
    counts: [
      {where: 'the error of work, made', claim: 'MADE', count: count('made'), keys},
      {where: 'the error of work, not paid', claim: 'NOT_MADE', count: unpaid, keys},
    ],
    problems: code === 7 && count('unknown') === 0 ? ['work ended with 7, and says of no row that it is unknown'] : [],
  })
}

// Each line of the log has its own time.
function judgeLog(said: Said, record: StoryRecord): string[] {
  const rows = parseLines(said.err).filter(({message}) => message === 'row')
  return [
    ...readWorkerCode(said),
    ...rows.flatMap(({key, state, transaction, time}) => {
      const atMs = Date.parse(String(time)) - said.shiftMs
      const words = toWord('log', key, state, transaction)
      return judge(told({words}), {...said, fromMs: atMs - clockGrainMs, toMs: Math.max(atMs, said.toMs)}, record)
    }),
  ]
}

const clockGrainMs = 5

// What is wrong in the ledger has to be found.
function readReconcile({out, code}: Said, record: StoryRecord): Told {
  const findings = readFindings(out)
  const {true: lost = [], false: listed = []} = Object.groupBy(record.ledger, ({id}) => `${record.lostIds.has(id)}`)
  const expected = findings.length > 0 ? 12 : 0
  return told({
    words: toFindingWords(findings),
    problems: [
      ...findUnreported(findings, listed, lost, readFinalStates(record)),
      ...(code === expected ? [] : [`reconcile ended with ${code} and ${findings.length} findings`]),
    ],
  })
}

// The states of the journal at the end.
function readFinalStates({said}: StoryRecord): Map<string, string> {
  const last = said.findLast(({kind}) => kind === 'journal')
  return new Map(readPayments(last?.out ?? '').map(({key, state}) => [String(key), String(state)]))
}

// The report counts what the service completed, and adds up the amounts.
function readReport({out}: Said, record: StoryRecord): Told {
  const {story, ledger, lostIds} = record
  const states = readFinalStates(record)
  const rows = story.batches.flatMap((batch) => batch.rows)
  const isCompleted = ({id, status}: LedgerEntry) => status === 'COMPLETED' && !lostIds.has(id)
  // A key that was made twice, after a failover, is counted twice.
  const completed = rows
    .filter(({key}) => states.get(key) === 'CREATED')
    .flatMap((row) => ledger.filter((entry) => entry.key === row.key && isCompleted(entry)).map(() => row))
  const body = parseJson(out)
  const paid = sum(((body['totals'] ?? []) as Body[]).map((total) => total['paid']))
  const expected = sum(completed.map(({amount}) => amount))
  const isRight = Number(body['payments'] ?? 0) === completed.length && Math.abs(paid - expected) < 0.001
  const what = `report has ${String(body['payments'])} payments of ${paid}`
  return told({problems: isRight ? [] : [`${what}, and the ledger ${completed.length} of ${expected}`]})
}

const eventClaims: Readonly<Record<string, Claim>> = {
  'payment.ended': 'ENDED_BADLY',
  'payment.stopped': 'NOT_MADE',
  'payouts.stopped': 'NOT_MADE',
}

const readNotifications = ({out}: Said): Told =>
  told({
    words: parseLines(out).flatMap(({event, key, keys, transactionId}) => {
      const claim = eventClaims[String(event)]
      const all = [key, ...((keys ?? []) as unknown[])].filter((one): one is string => typeof one === 'string')
      const named = typeof transactionId === 'string' ? {transactionId} : {}
      return claim ? all.map((one) => ({where: String(event), key: one, claim, ...named})) : []
    }),
  })

function read(said: Said, record: StoryRecord): Told {
  const {kind, code, err} = said
  if (code === 1) return told({problems: [`${kind} ended with a bug: ${err}`]})
  switch (kind) {
    case 'status':
      return readSummary(said, record)
    case 'pause':
    case 'resume':
    case 'cancel': {
      const summary = readSummary(said, record)
      return {...summary, counts: [...summary.counts, ...readSentence(said, record)]}
    }
    case 'result':
    case 'file':
      return readResult(said)
    case 'metrics':
      return readMetrics(said, record)
    case 'journal':
      return readJournal(said)
    case 'reconcile':
      return readReconcile(said, record)
    case 'report':
      return readReport(said, record)
    case 'notifications':
      return readNotifications(said)
    case 'work':
      return readWork(said, record)
    case 'submit':
      return told({problems: code === 0 ? [] : [`submit ended with ${code}: ${err}`]})
    default:
      return told({})
  }
}

// What the standby lacked nobody can know before it is found in the list: docs/fleet.md says so.
const isExcused = (entry: LedgerEntry, {lost}: StoryRecord) =>
  lost.some(({fromMs, toMs}) => entry.madeMs >= fromMs - excusedBeforeMs && entry.madeMs <= toMs)

// A transaction that was made before the copy may have been recorded after it.
const excusedBeforeMs = 500

// The service has lost it before svc heard of it, such as before a worker that was killed could write it down: it leaves no trace.
const isTraceless = ({id}: LedgerEntry, {lostIds, said}: StoryRecord) =>
  lostIds.has(id) && !said.some(({out}) => out.includes(id))

// The service refused it, made it all the same, and did not list it yet when a worker looked last
// (docs/assumptions.md, P6). A row that is tried again waits until then.
const isRefusedUnlisted = ({key, listedMs}: LedgerEntry, toMs: number, {refusedKeys, said}: StoryRecord) =>
  refusedKeys.has(key) &&
  listedMs > Math.max(...said.flatMap((one) => listLookTimes(one, key)).filter((ms) => ms <= toMs))

// When a worker was done with a row, after it had looked for it.
const listLookTimes = ({kind, err, shiftMs}: Said, key: string) =>
  kind === 'log' && err.includes(key)
    ? parseLines(err).flatMap((line) => (line['key'] === key ? [Date.parse(String(line['time'])) - shiftMs] : []))
    : []

// Nothing is denied before time has passed: a quote has to expire first.
const canKnow = (entry: LedgerEntry, said: Pick<Said, 'shiftMs' | 'isFinal' | 'toMs'>, record: StoryRecord) =>
  !isExcused(entry, record) &&
  !isRefusedUnlisted(entry, said.toMs, record) &&
  !((said.shiftMs > 0 || said.isFinal) && isTraceless(entry, record))

function judge({words, counts, problems}: Told, said: Said, record: StoryRecord): string[] {
  const known = record.ledger.filter((entry) => canKnow(entry, said, record))
  const isDenial = ({claim}: {claim: Claim}) => claim === 'NOT_MADE'
  const truth = {ledger: record.ledger, refusedKeys: record.refusedKeys}
  return [
    ...problems,
    ...findUntrueWords(
      words.filter((word) => !isDenial(word)),
      said,
      truth,
    ),
    ...findUntrueWords(words.filter(isDenial), said, {ledger: known}),
    ...findUntrueCounts(
      counts.filter((count) => !isDenial(count)),
      said,
      truth,
    ),
    ...findUntrueCounts(counts.filter(isDenial), said, {ledger: known}),
  ]
}

// At the end, what was made is said to be made, unless the service refused it or the journal had lost it.
function judgeEnd(record: StoryRecord): string[] {
  const {ledger, said, isSettled, story, lost, lostIds} = record
  const results = said.filter(({kind, isFinal}) => kind === 'result' && isFinal)
  const rows = results.flatMap(({out}) => readRows(out))
  const states = new Map(rows.map((row) => [String(row['key']), String(row['state'])]))
  const isTold = ({key}: LedgerEntry) =>
    ['CREATED', 'ENDED_BADLY', 'UNKNOWN', 'REJECTED'].includes(states.get(key) ?? '')
  const silent = ledger.filter(
    (entry) => !isTold(entry) && canKnow(entry, {shiftMs: 0, isFinal: true, toMs: Infinity}, record),
  )
  const {keys, listLagMs = 0} = story.behaviour
  // What the service makes or lists only after the standby took over, a worker that looks for it cannot find: docs/fleet.md.
  const isListedLate = listLagMs > 0 || story.steps.some(({acts}) => typeof acts === 'object')
  const mayBeTwice = lost.length > 0 && keys !== 'honoured' && isListedLate
  const traced = ledger.filter((entry) => !isTraceless(entry, record))
  const twice = new Map([...Map.groupBy(traced, ({key}) => key)].filter(([, own]) => own.length > 1))
  // Only a person can settle a row whose transaction the service has lost, or whose payment was made twice.
  const isLeft = ({state, transaction, key}: Body) =>
    state === 'UNKNOWN' && (lostIds.has(String(transaction)) || twice.has(String(key)))
  const open = rows.filter((row) => row['state'] === 'UNKNOWN' || isWaiting(row))
  const isEnded = isSettled || (open.length > 0 && open.every(isLeft))
  return [
    ...(isEnded ? [] : ['the batches have not ended']),
    ...silent.map(({key, id}) => `${key} is ${states.get(key)} at the end, and the ledger has ${id}`),
    ...(mayBeTwice ? [] : [...twice].map(([key, own]) => `${key} was made ${own.length} times`)),
  ]
}

// Everything that was said and is not so.
export function findLies(record: StoryRecord): string[] {
  const found = record.said.flatMap((said) => {
    const problems = said.kind === 'log' ? judgeLog(said, record) : judge(read(said, record), said, record)
    return problems.map((problem) => `${problem}${said.isFinal ? ' (at the end)' : ''}`)
  })
  return [...found, ...judgeEnd(record)]
}
