// The requests with which a probe finds out how a service treats keys and quotes, in the order in which they are sent.

// When a try is made: at once, a minute after the first use of the key, shortly before the quote expires, after a quote has
// expired, or last.
export type Moment = 'now' | 'minute' | 'late' | 'expired' | 'last'

export interface TryKind {
  name: TryName
  // The question that it answers. Tries of one subject ask the same at different times.
  subject: Subject
  moment: Moment
  // The earlier transaction that it refers to, and whether it reuses its key, its quote or its exact bytes.
  first?: FirstName
  uses: {key?: true; quote?: true; bytes?: true}
  // How many times it is sent, at the same moment.
  sends: 1 | 2
  // What the progress line says.
  words: string
}

export type Subject = 'first' | 'sameRequest' | 'otherRequest' | 'usedQuote' | 'keyAfterRejection' | 'expiredQuote'

export type TryName =
  | FirstName
  | 'same-now'
  | 'other-now'
  | 'used-quote'
  | 'after-rejection'
  | 'same-minute'
  | 'other-minute'
  | 'same-late'
  | 'other-late'
  | 'expired'
  | 'at-once'
  | 'control'

// The same and another request are tried under two keys: what a service keeps of the one must not hide what it does with the
// other.
export type FirstName = 'first' | 'first-other'

const same = {subject: 'sameRequest', first: 'first', uses: {key: true, quote: true, bytes: true}, sends: 1} as const
const other = {subject: 'otherRequest', first: 'first-other', uses: {key: true}, sends: 1} as const

const ordinary = {subject: 'first', uses: {}, sends: 1} as const

export const firstTries: Readonly<Record<FirstName, TryKind>> = {
  first: {...ordinary, name: 'first', moment: 'now', words: 'the first transaction'},
  'first-other': {...ordinary, name: 'first-other', moment: 'now', words: 'a transaction under another key'},
}

// An ordinary transaction. If it is made, an earlier rejection was not about money or limits.
export const controlTry: TryKind = {...ordinary, name: 'control', moment: 'last', words: 'an ordinary transaction'}

// The last one is an ordinary transaction as well, so it also serves as the control of those before it.
export const followingTries: readonly TryKind[] = [
  {...same, name: 'same-now', moment: 'now', words: 'the same request again'},
  {...other, name: 'other-now', moment: 'now', words: 'another quote under the same key'},
  {
    name: 'used-quote',
    subject: 'usedQuote',
    first: 'first',
    moment: 'now',
    uses: {quote: true},
    sends: 1,
    words: 'a quote used twice',
  },
  {
    name: 'after-rejection',
    subject: 'keyAfterRejection',
    moment: 'now',
    uses: {},
    sends: 1,
    words: 'a key whose first request is rejected',
  },
  {...same, name: 'same-minute', moment: 'minute', words: 'the same request a minute later'},
  {...other, name: 'other-minute', moment: 'minute', words: 'another quote under the same key, a minute later'},
  {...same, name: 'same-late', moment: 'late', words: 'the same request just before the quote expires'},
  {...other, name: 'other-late', moment: 'late', words: 'another quote under the same key, four minutes later'},
  {name: 'expired', subject: 'expiredQuote', moment: 'expired', uses: {}, sends: 1, words: 'an expired quote'},
  {
    name: 'at-once',
    subject: 'sameRequest',
    moment: 'last',
    uses: {},
    sends: 2,
    words: 'the same request twice at the same moment',
  },
]

export const isLater = ({moment}: TryKind) => moment === 'minute' || moment === 'late' || moment === 'expired'

// Tries with a key and a quote of their own, which any service accepts.
export const isOrdinary = (name: TryName) => isPlain(name) || name === 'at-once' || name === 'after-rejection'

// Tries that ask nothing themselves.
export const isPlain = (name: TryName) => name === 'first' || name === 'first-other' || name === 'control'
