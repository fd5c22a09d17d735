// Everything that was said in a story and is not so. It knows nothing of how the story was played: in process, by commands, or both.
import {
  type Speaker,
  type Spoken,
  findUnreported,
  observers,
  readFindings,
  readPayments,
  sentence,
} from '../support/spoken-words.ts'
import {isQuoteKey} from '../../src/payments/protocol/payment.ts'
import {type LedgerEntry, findUntrueWords, hasEndedBadly} from '../support/word-oracle.ts'

// What was said, on which host, between which times by the clock of the service, and how many transactions there were by then.
export interface Said extends Spoken {
  speaker: Speaker
  host: number
  fromMs: number
  toMs: number
  madeCount: number
}

// All that is needed to judge a story: what was said, and what is so.
export interface StoryRecord {
  said: Said[]
  ledger: LedgerEntry[]
  // The keys of requests that the service answered with a refusal.
  refusedKeys: ReadonlySet<string>
  hostCount: number
}

// These repeat what was so when it was written down, or what the service answered.
const repeaters: ReadonlySet<Speaker> = new Set(['journal list', 'journal show', 'api POST /transactions'])
// These have read the transaction, and know how it has ended.
const readers: ReadonlySet<Speaker> = new Set(['pay', 'transactions create', 'payouts run', 'payouts run --result'])

function judge(said: Said, {ledger: all, refusedKeys, hostCount}: StoryRecord): string[] {
  const {speaker, madeCount} = said
  const ledger = all.slice(0, madeCount)
  const words = observers[speaker](said)
  if (repeaters.has(speaker)) {
    const known = words.filter(
      ({claim, key = ''}) => claim !== 'NOT_MADE' || (hostCount === 1 && !refusedKeys.has(key)),
    )
    return findUntrueWords(known, said, {ledger, refusedKeys})
  }
  // Of what another host made svc knows only once it is listed, and so it is after a refusal.
  const isKnown = (where: string) => where === sentence && hostCount === 1
  const softened = words.map((word) =>
    word.claim === 'NOT_MADE' && !isKnown(word.where) ? {...word, claim: 'REFUSED' as const} : word,
  )
  const badKeys = new Set(ledger.filter((one) => hasEndedBadly(one)).map(({key}) => key))
  const isPraised = ({claim, key = '', state}: (typeof words)[number]) =>
    claim === 'MADE' && state !== 'FAILED' && badKeys.has(key)
  return [
    ...findUntrueWords(softened, said, {ledger}),
    ...words
      .filter((word) => readers.has(speaker) && isPraised(word))
      .map(({key}) => `${key} is made, and ended badly`),
  ]
}

// What the service lists has to be found, by what the same host's journal has.
function judgeFindings({host, out, code, fromMs}: Said, {said, ledger}: StoryRecord): string[] {
  const last = said.findLast((one) => one.speaker === 'journal list' && one.host === host)
  const states = new Map(readPayments(last?.out ?? '').map(({key, state}) => [String(key), String(state)]))
  // What is made from a quote has no name of svc's: only a journal from which it was sent knows it.
  const isOurs = (key: string) => !isQuoteKey(key) || (states.get(key) ?? 'INTENDED') !== 'INTENDED'
  const listed = ledger.filter(({key, listedMs}) => isOurs(key) && listedMs <= fromMs)
  const findings = readFindings(out)
  return [
    ...findUnreported(findings, listed, [], states),
    ...(code === (findings.length > 0 ? 12 : 0) ? [] : [`reconcile ended with ${code}`]),
  ]
}

// Everything that was said and is not so.
export const findLies = (story: StoryRecord): string[] =>
  story.said.flatMap((said) =>
    [
      ...(said.code === 1 ? [`a bug: ${said.err}`] : []),
      ...(/service refused.*service refused/i.test(said.err) ? ['it says twice that the service refused'] : []),
      ...judge(said, story),
      ...(said.speaker === 'reconcile' ? judgeFindings(said, story) : []),
    ].map((problem) => `${said.speaker}: ${problem} (${said.err})`),
  )
