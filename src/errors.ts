// The errors that svc throws. Each has a kind, which decides the exit code, and an effect on the service.

// One row per kind. Scripts branch on the exit codes, so a code never changes its meaning. `effect` is the default of the
// kind; an error can have another one.
const kinds = {
  bug: {
    code: 1,
    effect: 'possible',
    meaning: 'Unexpected error: a bug in svc; or the data could not be printed, such as by --jq.',
  },
  usage: {
    code: 2,
    effect: 'none',
    meaning: 'Wrong usage, input, settings or Node version. Nothing was changed; at most something was looked up.',
  },
  refused: {
    code: 3,
    effect: 'none',
    meaning: 'The service refused the request: BAD_REQUEST, PATCH_NOT_ALLOWED, or another 4xx that is not listed here.',
  },
  unauthenticated: {code: 4, effect: 'none', meaning: 'No credential, or the service refused it: 401, 403.'},
  notFound: {code: 5, effect: 'none', meaning: 'Not found.'},
  unreachable: {
    code: 6,
    effect: 'none',
    meaning:
      'The service, or the database of the journal, could not be reached or kept failing: network, 408, 429, 5xx, an unreadable reply, a redirect. Nothing was changed.',
  },
  unknownOutcome: {
    code: 7,
    effect: 'possible',
    meaning:
      'Outcome unknown: a write may have happened. Run pay, payouts run or transactions create again to settle it; other commands say how to check.',
  },
  pending: {code: 8, effect: 'possible', meaning: 'Still pending when --timeout ran out, or the journal stayed busy.'},
  partial: {code: 9, effect: 'done', meaning: 'Partly done: some rows of a batch failed.'},
  limit: {
    code: 10,
    effect: 'none',
    meaning:
      'A limit, a missing approval, a new payee, a possible duplicate or a wrong clock stopped the payment; no transaction was sent.',
  },
  endedBadly: {
    code: 11,
    effect: 'done',
    meaning:
      'Ended without success: a transaction FAILED, CANCELLED or EXPIRED; a customer REJECTED, DEACTIVATED or NEEDS_ADDITIONAL_INFORMATION.',
  },
  finding: {
    code: 12,
    effect: 'none',
    meaning:
      'A check found a problem: doctor, reconcile, journal verify, books that cannot be closed, events verify, an event that its handler did not accept; or a list with --all may be incomplete.',
  },
  interrupted: {code: 130, effect: 'none', meaning: 'Interrupted (Ctrl-C).'},
  terminated: {code: 143, effect: 'none', meaning: 'Terminated.'},
} as const

export type ErrorKind = keyof typeof kinds

// What the command did at the service: nothing, possibly something (it is not known), or something that is known.
export type Effect = 'none' | 'possible' | 'done'

export type ExitCode = 0 | (typeof kinds)[ErrorKind]['code']

// How a command can end: without an error, or with an error of some kind.
export type Ending = 'done' | ErrorKind

export const getExitCode = (ending: Ending): ExitCode => (ending === 'done' ? 0 : kinds[ending].code)

export const getExitCodes = (...endings: Ending[]): ExitCode[] => endings.map(getExitCode)

export const exitCodeMeanings: ReadonlyArray<{code: ExitCode; meaning: string}> = [
  {code: 0, meaning: 'Done.'},
  ...Object.values(kinds).map(({code, meaning}) => ({code, meaning})),
]

interface Details {
  // A code such as NOT_FOUND: the service's own if it sent one, otherwise ours.
  error: string
  kind: ErrorKind
  // Only if it differs from the default of the kind.
  effect?: Effect | undefined
  // What happened and why: a sentence without the full stop.
  message: string
  // The cause alone, without what it means for the request, for errors that are wrapped in another sentence.
  reason?: string | undefined
  // What to do next: another sentence, also without the full stop.
  hint?: string | undefined
  statusCode?: number | undefined
  // All problems at once, one line each, if there are too many for the message.
  problems?: readonly string[] | undefined
  // The body of the service's reply, if it is to be shown with the error.
  body?: unknown
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
  readonly body: unknown

  constructor({error, kind, effect, message, reason, hint, statusCode, problems, body, cause}: Details) {
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
    this.body = body
  }

  get exitCode(): ExitCode {
    return getExitCode(this.kind)
  }

  // The same error, with other words or with more.
  with(changes: Partial<Details>): SvcError {
    const {error, kind, effect, sentence: message, reason, hint, statusCode, problems, body, cause} = this
    return new SvcError({error, kind, effect, message, reason, hint, statusCode, problems, body, cause, ...changes})
  }
}

export const badUsage = (message: string, hint?: string, cause?: unknown): SvcError =>
  new SvcError({error: 'BAD_USAGE', kind: 'usage', message, hint, cause})

export const badSettings = (message: string, hint?: string, cause?: unknown): SvcError =>
  new SvcError({error: 'BAD_SETTINGS', kind: 'usage', message, hint, cause})

export const noCredential = (message: string, hint?: string, cause?: unknown): SvcError =>
  new SvcError({error: 'NO_CREDENTIAL', kind: 'unauthenticated', message, hint, cause})

export const interrupted = (message = 'Stopped; nothing was sent'): SvcError =>
  new SvcError({error: 'INTERRUPTED', kind: 'interrupted', message})

// The person answered no. Nothing was sent, and in a wizard the answers can still be changed.
export class Declined extends SvcError {
  constructor() {
    super({error: 'INTERRUPTED', kind: 'interrupted', message: 'Stopped; nothing was sent'})
  }
}

// Undefined if there is no such thing.
export async function findOrUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SvcError && error.kind === 'notFound') return undefined
    throw error
  }
}

// The code of a Node system error, such as ENOENT.
export const getSystemCode = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined

// For what helps where it succeeds, and changes nothing where it does not.
export async function ignoreFailure(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof SvcError)) throw error
  })
}
