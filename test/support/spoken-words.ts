// Reads what svc says about payments, as words that the oracle judges: one small observer for each command.
import {parse} from 'csv-parse/sync'
import {
  type Claim,
  type LedgerEntry,
  type Word,
  claimsByCode,
  claimsByState,
  findSentenceClaim,
  hasEndedBadly,
} from './word-oracle.ts'
import type {RunResult} from './svc.ts'

export type Body = Record<string, unknown>

export function parseJson(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {}
  }
}

const listBodies = (text: string, name: string) => (parseJson(text)[name] ?? []) as Body[]

const toNamed = (transactionId: unknown) =>
  typeof transactionId === 'string' && transactionId !== '' ? {transactionId} : {}

// A word about the state of a payment or a row, if it says something.
export function toWord(where: string, key: unknown, state: unknown, transactionId: unknown): Word[] {
  const claim = claimsByState[String(state)]
  if (claim === undefined || typeof key !== 'string') return []
  return [{where, key, claim, state: String(state), ...toNamed(transactionId)}]
}

// In JSON, or as the CSV of a file.
export const readRows = (out: string): Body[] =>
  out.startsWith('{') ? listBodies(out, 'payouts') : parse<Body>(out, {columns: true})

// A row whose key belongs to a payment with other content says that this payment was made, or may have been, not how it ended.
const isKeyUsed = (error: unknown) => (error as Body | undefined)?.['error'] === 'KEY_USED' || error === 'KEY_USED'

export const toRowWords = (where: string, rows: readonly Body[]): Word[] =>
  rows.flatMap(({key, state, transaction, error}) => {
    const words = toWord(where, key, state, transaction)
    return isKeyUsed(error) && state === 'FAILED' ? words.map((word) => ({...word, claim: 'MADE'})) : words
  })

export const readPayments = (out: string): Body[] => listBodies(out, 'payments')

export const toPaymentWords = (where: string, payments: readonly Body[]): Word[] =>
  payments.flatMap(({key, state, transactionId}) => toWord(where, key, state, transactionId))

export const readFindings = (out: string): Body[] => listBodies(out, 'findings')

const findingClaims: Readonly<Record<string, Claim>> = {
  SEVERAL: 'MADE',
  NOT_IN_JOURNAL: 'MADE',
  DIFFERS: 'MADE',
  ENDED_BADLY: 'ENDED_BADLY',
  NOT_AT_SERVICE: 'NOT_LISTED',
}

export const toFindingWords = (findings: readonly Body[]): Word[] =>
  findings.flatMap(({kind, key, transactionId}) => {
    const claim = findingClaims[String(kind)]
    const about = typeof key === 'string' ? {key} : {}
    return claim ? [{where: `reconcile ${String(kind)}`, claim, ...about, ...toNamed(transactionId)}] : []
  })

// What the service lists and the findings have to name: several of one key, what ended badly, what the journal lacks; and what the
// journal has and the service does not list. `states` are those of the journal.
export function findUnreported(
  findings: readonly Body[],
  listed: readonly LedgerEntry[],
  lost: readonly LedgerEntry[],
  states: ReadonlyMap<string, string>,
): string[] {
  const isFound = ({key, id}: LedgerEntry, ...kinds: string[]) =>
    findings.some(
      (one) =>
        kinds.includes(String(one['kind'])) &&
        (one['key'] === key || one['transactionId'] === id || String(one['detail']).includes(id)),
    )
  const byKey = Map.groupBy(listed, ({key}) => key)
  const unreported = [
    ...[...byKey.values()]
      .filter((own) => own.length > 1)
      .flatMap((own) => own.filter((one) => !isFound(one, 'SEVERAL'))),
    ...listed.filter(
      (one) => hasEndedBadly(one) && !isFound(one, 'ENDED_BADLY', 'NOT_IN_JOURNAL', 'SEVERAL', 'UNSETTLED'),
    ),
    ...listed.filter(
      (one) => states.get(one.key) !== 'CREATED' && !isFound(one, 'NOT_IN_JOURNAL', 'UNSETTLED', 'SEVERAL'),
    ),
    ...lost.filter(
      (one) => states.get(one.key) === 'CREATED' && !byKey.has(one.key) && !isFound(one, 'NOT_AT_SERVICE'),
    ),
  ]
  return unreported.map(({key, id, status}) => `reconcile does not report ${key}, whose transaction ${id} is ${status}`)
}

// What a command said, and the key that it was asked to pay, if it was one.
export interface Spoken extends RunResult {
  key?: string
}

const toClaims = (
  key: string,
  words: ReadonlyArray<{where: string; claim: Claim | undefined; transactionId?: unknown}>,
): Word[] =>
  words.flatMap(({where, claim, transactionId}) => (claim ? [{where, key, claim, ...toNamed(transactionId)}] : []))

const observePayment = ({key = '', code, out, err}: Spoken): Word[] =>
  toClaims(key, [
    {where: `code ${code}`, claim: claimsByCode[code ?? -1], transactionId: /^ID +(\S+)/m.exec(out)?.[1]},
    {where: sentence, claim: findSentenceClaim(err)},
  ])

// Where a word is from that svc says in a sentence.
export const sentence = 'a sentence'

export const observers = {
  // A run of the protocol without a command, and what its journal has then. A refusal that does not name the payment is that of a list or
  // of a quote.
  protocol: ({key = '', code, out, err}) => {
    const {transactionId, state, recordedId} = parseJson(out)
    return toClaims(key, [
      {
        where: `code ${code}`,
        claim: code === 3 && !err.includes(key) ? undefined : claimsByCode[code ?? -1],
        transactionId,
      },
      {where: sentence, claim: findSentenceClaim(err)},
      {where: 'the journal', claim: state === 'CREATED' ? 'MADE' : undefined, transactionId: recordedId},
    ])
  },
  pay: observePayment,
  'transactions create': observePayment,
  // It repeats the reply of the service, which may name no transaction.
  'api POST /transactions': ({key = '', code, out}) => {
    const {transactionId} = parseJson(out)
    const claim = code === 0 && transactionId === undefined ? undefined : claimsByCode[code ?? -1]
    return toClaims(key, [{where: `code ${code}`, claim, transactionId}])
  },
  'payouts run': ({out}) => toRowWords('a row', readRows(out)),
  'payouts run --result': ({out}) => toRowWords('a row of the file', readRows(out)),
  'journal list': ({out}) => toPaymentWords('the journal', readPayments(out)),
  'journal show': ({out}) => toPaymentWords('the journal', [parseJson(out)]),
  'journal settle': ({out}) => toPaymentWords('what was settled', listBodies(out, 'settled')),
  reconcile: ({out}) => toFindingWords(readFindings(out)),
} satisfies Record<string, (spoken: Spoken) => Word[]>

export type Speaker = keyof typeof observers
