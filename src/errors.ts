// Every way a command can end other than well: the exit codes, and the one kind of error that svc throws.

// The exit codes are an interface: scripts branch on them, so a number never changes its meaning.
export const exitCodes = {
  done: 0,
  fault: 1,
  usage: 2,
  refused: 3,
  credential: 4,
  notFound: 5,
  unreachable: 6,
  unknown: 7,
  pending: 8,
  partly: 9,
  limit: 10,
  endedBadly: 11,
  found: 12,
  interrupted: 130,
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodeMeanings: ReadonlyArray<{code: ExitCode; meaning: string}> = [
  {code: 0, meaning: 'Done.'},
  {code: 1, meaning: 'Unexpected: a fault in svc.'},
  {
    code: 2,
    meaning: 'Bad usage, input, settings or Node version, refused here; nothing was sent, not even a read.',
  },
  {
    code: 3,
    meaning: 'The service refused the request: BAD_REQUEST, PATCH_NOT_ALLOWED, any other 4xx not named here.',
  },
  {code: 4, meaning: 'No credential, or it was refused: 401, 403.'},
  {code: 5, meaning: 'Not found.'},
  {
    code: 6,
    meaning:
      'The service could not be reached or kept failing: network, 408, 429, 5xx, an unreadable reply, a redirect. Nothing was changed.',
  },
  {
    code: 7,
    meaning:
      'Outcome unknown: a write may have happened. pay, payouts and transactions create settle it when run again; others say how to check.',
  },
  {code: 8, meaning: 'Still pending when --timeout ran out.'},
  {code: 9, meaning: 'Partly done: some rows of a batch failed.'},
  {code: 10, meaning: 'A limit stopped the payment; no transaction was sent.'},
  {
    code: 11,
    meaning:
      'It ended, but not well: FAILED, CANCELLED, EXPIRED; a customer REJECTED, DEACTIVATED or NEEDS_ADDITIONAL_INFORMATION.',
  },
  {code: 12, meaning: 'A check found something: doctor, reconcile, events verify.'},
  {code: 130, meaning: 'Interrupted (Ctrl-C).'},
  {code: 143, meaning: 'Terminated.'},
]

interface Details {
  // A code in the service's manner: its own where it sent one, ours otherwise.
  error: string
  exitCode: ExitCode
  // What happened and why, as a sentence without its full stop.
  message: string
  // What to do next, as a sentence of its own.
  hint?: string | undefined
  statusCode?: number | undefined
  // Everything that is wrong at once, where it is more than a sentence can hold: one line each.
  problems?: readonly string[] | undefined
  cause?: unknown
}

export class SvcError extends Error {
  readonly error: string
  readonly exitCode: ExitCode
  readonly hint: string | undefined
  readonly statusCode: number | undefined
  readonly problems: readonly string[] | undefined

  constructor({error, exitCode, message, hint, statusCode, problems, cause}: Details) {
    super(message, {cause})
    this.name = 'SvcError'
    this.error = error
    this.exitCode = exitCode
    this.hint = hint
    this.statusCode = statusCode
    this.problems = problems
  }
}

export const badUsage = (message: string, hint?: string, cause?: unknown) =>
  new SvcError({error: 'BAD_USAGE', exitCode: exitCodes.usage, message, hint, cause})

export const badSettings = (message: string, hint?: string, cause?: unknown) =>
  new SvcError({error: 'BAD_SETTINGS', exitCode: exitCodes.usage, message, hint, cause})

export const noCredential = (message: string, hint?: string, cause?: unknown) =>
  new SvcError({error: 'NO_CREDENTIAL', exitCode: exitCodes.credential, message, hint, cause})

export const interrupted = (message = 'Stopped; nothing was sent') =>
  new SvcError({error: 'INTERRUPTED', exitCode: exitCodes.interrupted, message})

// A person said no to what would be sent: nothing was, and in a conversation it may be changed.
export class Declined extends SvcError {
  constructor() {
    super({error: 'INTERRUPTED', exitCode: exitCodes.interrupted, message: 'Stopped; nothing was sent'})
  }
}

// The code of a Node system error, such as ENOENT.
export const systemCode = (cause: unknown): string | undefined =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
