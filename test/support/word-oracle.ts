// The oracle of all stories: compares what svc said about payments with what the ledger of the service has. It knows nothing of the
// story, so a test can change a copy of what was said and see that the lie is found.

// A transaction that the service really made.
export interface LedgerEntry {
  key: string
  id: string
  // When it was made, and from when on the list shows it, by the clock of the story.
  madeMs: number
  listedMs: number
  status: string
}

// What a word says about a key:
// - MADE: a transaction exists.
// - ENDED_BADLY: it exists, and failed.
// - NOT_MADE: none exists.
// - REFUSED: the service refused it, and its list had none. It may have made it all the same.
// - NOT_LISTED: its list does not have the transaction that is named.
export type Claim = 'MADE' | 'ENDED_BADLY' | 'NOT_MADE' | 'REFUSED' | 'NOT_LISTED'

export interface Word {
  where: string
  // Of what has no key the transaction is named.
  key?: string
  claim: Claim
  // The transaction that was named with it.
  transactionId?: string | undefined
  // The state that said it, if it was one.
  state?: string
}

// That so many of these keys are made, or are not.
export interface CountedWord {
  where: string
  claim: 'MADE' | 'NOT_MADE'
  count: number
  keys: readonly string[]
}

// What was said between these two times, by the clock of the story. It may be about any moment in between.
export interface Moment {
  fromMs: number
  toMs: number
}

// What is so. `refusedKeys` are those of requests that the service answered with a refusal, if the story knows them.
export interface Truth {
  ledger: readonly LedgerEntry[]
  refusedKeys?: ReadonlySet<string>
}

const badStatuses: ReadonlySet<string> = new Set(['FAILED', 'CANCELLED', 'EXPIRED'])

export const hasEndedBadly = ({status}: Pick<LedgerEntry, 'status'>) => badStatuses.has(status)

// What the states of payments in the journal, and of rows, say. Those that are left out say that it is not known.
export const claimsByState: Readonly<Record<string, Claim>> = {
  CREATED: 'MADE',
  ENDED_BADLY: 'ENDED_BADLY',
  REJECTED: 'REFUSED',
  INTENDED: 'NOT_MADE',
  QUOTED: 'NOT_MADE',
  STOPPED: 'NOT_MADE',
  ABANDONED: 'NOT_MADE',
  FAILED: 'NOT_MADE',
  NOT_TRIED: 'NOT_MADE',
  WAITING: 'NOT_MADE',
  CANCELLED: 'NOT_MADE',
}

// What the exit code of one payment says.
export const claimsByCode: Readonly<Record<number, Claim>> = {
  0: 'MADE',
  3: 'REFUSED',
  10: 'NOT_MADE',
  11: 'ENDED_BADLY',
}

const notMade = /was not made|nothing was (made|paid)/i
// What may be, or what a list has yet to confirm, is no claim.
const noClaims = /(if|before its list confirms that) nothing was made/gi

// What a sentence about a payment says, besides its code.
export const findSentenceClaim = (sentence: string): Claim | undefined =>
  notMade.test(sentence.replaceAll(noClaims, '')) ? 'NOT_MADE' : undefined

// Whether a transaction of this key contradicts the word.
function isContradicted(
  word: Word,
  {fromMs, toMs}: Moment,
  own: readonly LedgerEntry[],
  {refusedKeys}: Truth,
): boolean {
  const {key, claim, transactionId} = word
  const made = own.filter(({madeMs}) => madeMs <= toMs)
  const isNamed = transactionId === undefined || made.some(({id}) => id === transactionId)
  if (claim === 'MADE') return made.length === 0 || !isNamed
  if (claim === 'ENDED_BADLY') return !made.some(hasEndedBadly) || !isNamed
  if (claim === 'NOT_LISTED') return own.some(({id, listedMs}) => id === transactionId && listedMs < fromMs)
  if (claim === 'REFUSED')
    return refusedKeys ? !refusedKeys.has(key ?? '') : own.some(({listedMs}) => listedMs < fromMs)
  return own.some(({madeMs}) => madeMs < fromMs)
}

export function findUntrueWords(words: readonly Word[], moment: Moment, truth: Truth): string[] {
  return words.flatMap((word) => {
    const {where, key, claim, transactionId} = word
    const own = truth.ledger.filter((entry) => (key === undefined ? entry.id === transactionId : entry.key === key))
    if (!isContradicted(word, moment, own, truth)) return []
    const named = transactionId === undefined ? '' : ` as ${transactionId}`
    return [`${where}: ${key ?? 'a payment'} is said to be ${claim}${named}, and the ledger has ${describe(own)}`]
  })
}

export function findUntrueCounts(counts: readonly CountedWord[], {fromMs, toMs}: Moment, {ledger}: Truth): string[] {
  return counts.flatMap(({where, claim, count, keys}) => {
    const isMadeBy = (untilMs: number) => (key: string) =>
      ledger.some((entry) => entry.key === key && entry.madeMs <= untilMs)
    const most =
      claim === 'MADE' ? keys.filter(isMadeBy(toMs)).length : keys.filter((key) => !isMadeBy(fromMs)(key)).length
    return count <= most ? [] : [`${where}: ${count} are said to be ${claim}, and the ledger has at most ${most}`]
  })
}

const describe = (entries: readonly LedgerEntry[]) =>
  entries.length === 0
    ? 'nothing'
    : entries.map(({id, status, madeMs}) => `${id} (${status}, made at ${madeMs})`).join(', ')
