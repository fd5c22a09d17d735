// The errors that svc throws: what kind each one is, what may have happened at the service, and the exit code that follows.

// One row per kind. Scripts branch on the exit codes, so a number never changes its meaning. `effect` is what an error of
// this kind says about the service unless the error itself says otherwise.
const kinds = {
  bug: {code: 1, effect: 'possible', meaning: 'Unexpected: a fault in svc.'},
  usage: {
    code: 2,
    effect: 'none',
    meaning: 'Bad usage, input, settings or Node version, refused here; nothing was sent, not even a read.',
  },
  refused: {
    code: 3,
    effect: 'none',
    meaning: 'The service refused the request: BAD_REQUEST, PATCH_NOT_ALLOWED, any other 4xx not named here.',
  },
  unauthenticated: {code: 4, effect: 'none', meaning: 'No credential, or it was refused: 401, 403.'},
  notFound: {code: 5, effect: 'none', meaning: 'Not found.'},
  unreachable: {
    code: 6,
    effect: 'none',
    meaning:
      'The service could not be reached or kept failing: network, 408, 429, 5xx, an unreadable reply, a redirect. Nothing was changed.',
  },
  unknownOutcome: {
    code: 7,
    effect: 'possible',
    meaning:
      'Outcome unknown: a write may have happened. pay, payouts and transactions create settle it when run again; others say how to check.',
  },
  pending: {code: 8, effect: 'possible', meaning: 'Still pending when --timeout ran out.'},
  partial: {code: 9, effect: 'done', meaning: 'Partly done: some rows of a batch failed.'},
  limit: {code: 10, effect: 'none', meaning: 'A limit stopped the payment; no transaction was sent.'},
  endedBadly: {
    code: 11,
    effect: 'done',
    meaning:
      'It ended, but not well: FAILED, CANCELLED, EXPIRED; a customer REJECTED, DEACTIVATED or NEEDS_ADDITIONAL_INFORMATION.',
  },
  finding: {code: 12, effect: 'none', meaning: 'A check found something: doctor, reconcile, events verify.'},
  interrupted: {code: 130, effect: 'none', meaning: 'Interrupted (Ctrl-C).'},
  terminated: {code: 143, effect: 'none', meaning: 'Terminated.'},
} as const satisfies Record<string, {code: number; effect: Effect; meaning: string}>

export type ErrorKind = keyof typeof kinds

// What may have happened at the service: nothing, something that nobody knows of, or something that is known.
export type Effect = 'none' | 'possible' | 'done'

export type ExitCode = 0 | (typeof kinds)[ErrorKind]['code']

// How a command can end: well, or with an error of some kind.
export type Ending = 'done' | ErrorKind

export const getExitCode = (ending: Ending): ExitCode => (ending === 'done' ? 0 : kinds[ending].code)

export const getExitCodes = (...endings: Ending[]): ExitCode[] => endings.map(getExitCode)

export const exitCodeMeanings: ReadonlyArray<{code: ExitCode; meaning: string}> = [
  {code: 0, meaning: 'Done.'},
  ...Object.values(kinds).map(({code, meaning}) => ({code, meaning})),
]

interface Details {
  // A code in the service's manner: its own where it sent one, ours otherwise.
  error: string
  kind: ErrorKind
  // Given where it differs from what errors of this kind usually say.
  effect?: Effect | undefined
  // What happened and why, as a sentence without its full stop.
  message: string
  // The cause alone, without what it means for the request, for errors that are wrapped in another sentence.
  reason?: string | undefined
  // What to do next, as a sentence of its own.
  hint?: string | undefined
  statusCode?: number | undefined
  // Everything that is wrong at once, where it is more than a sentence can hold: one line each.
  problems?: readonly string[] | undefined
  cause?: unknown
}

export class SvcError extends Error {
  // The message as it was given. oclif overwrites `message` when the parser of a flag throws.
  readonly sentence: string
  readonly error: string
  readonly kind: ErrorKind
  readonly effect: Effect
  readonly reason: string | undefined
  readonly hint: string | undefined
  readonly statusCode: number | undefined
  readonly problems: readonly string[] | undefined

  constructor({error, kind, effect, message, reason, hint, statusCode, problems, cause}: Details) {
    super(message, {cause})
    this.name = 'SvcError'
    this.sentence = message
    this.error = error
    this.kind = kind
    this.effect = effect ?? kinds[kind].effect
    this.reason = reason
    this.hint = hint
    this.statusCode = statusCode
    this.problems = problems
  }

  get exitCode(): ExitCode {
    return getExitCode(this.kind)
  }
}

export const badUsage = (message: string, hint?: string, cause?: unknown) =>
  new SvcError({error: 'BAD_USAGE', kind: 'usage', message, hint, cause})

export const badSettings = (message: string, hint?: string, cause?: unknown) =>
  new SvcError({error: 'BAD_SETTINGS', kind: 'usage', message, hint, cause})

export const noCredential = (message: string, hint?: string, cause?: unknown) =>
  new SvcError({error: 'NO_CREDENTIAL', kind: 'unauthenticated', message, hint, cause})

export const interrupted = (message = 'Stopped; nothing was sent') =>
  new SvcError({error: 'INTERRUPTED', kind: 'interrupted', message})

// A person answered no. Nothing was sent, and in a wizard the answers may still be changed.
export class Declined extends SvcError {
  constructor() {
    super({error: 'INTERRUPTED', kind: 'interrupted', message: 'Stopped; nothing was sent'})
  }
}

// The code of a Node system error, such as ENOENT.
export const getSystemCode = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
