// What the interface leaves open, and what a probe can observe of a service there.

// What became of a second request: the first reply came again, it was rejected, or it created a second transaction.
export type SecondRequestOutcome = 'replayed' | 'rejected' | 'created'

// A field that is absent is not known.
export interface ObservedService {
  // The same idempotency key with the same body: twice at the same moment, and until shortly before the quote expired. Known
  // only if every try had a result; it is the worst of them.
  sameRequest?: SecondRequestOutcome
  // The same idempotency key with another body, tried at the same times.
  otherRequest?: SecondRequestOutcome
  // How long after its first use a key was last seen to be honoured, and after how long it was found to be forgotten.
  keyHeldMs?: number
  keyForgottenAfterMs?: number
  // A key whose first request was rejected: can it be used for another request?
  keyAfterRejection?: 'usable' | 'rejected'
  // The same quote under another key.
  usedQuote?: 'rejected' | 'created'
  expiredQuote?: 'rejected' | 'created'
  // How long it took until a new transaction was listed, at the longest.
  listLagMs?: number
  // The transaction was not listed after this long, when the probe stopped looking.
  listLagOverMs?: number
  listOrder?: 'newest-first' | 'oldest-first' | 'other'
  // How far the Date header of replies was ahead of this machine.
  dateAheadMs?: number
  isDateAbsent?: boolean
  // How long a page token was seen to work, at the least, and after how long it was rejected.
  pageTokenLifeMs?: number
  pageTokenDiedAfterMs?: number
}
