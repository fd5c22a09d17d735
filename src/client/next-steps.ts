// What to do next about a request, by its endpoint or by the refusal, where it can be said more exactly than in general.
import {quoteForShell} from '../validation/shell-quote.ts'

interface RequestLine {
  method: string
  path: string
}

interface OutcomeCheck {
  method: string
  path: RegExp
  // How to see whether it happened. `id` is the last piece of the path.
  describe: (id: string) => string
}

// A write of which nobody knows whether it happened must never look like one that did not.
const checkFirst = 'Check what the service has before you send it again'

const outcomeChecks: readonly OutcomeCheck[] = [
  {
    method: 'POST',
    path: /^\/customers$/,
    describe: () => 'Look for the email in `svc customers list --all` before you create the customer again',
  },
  {
    method: 'PATCH',
    path: /^\/customers\/[^/]+$/,
    describe: (id) => `See \`svc customers get ${id}\`: the customer is UNDER_REVIEW if it arrived`,
  },
  {
    method: 'POST',
    path: /^\/quotes$/,
    describe: () => 'Simply ask for it again: a quote moves nothing, and one that nobody uses expires',
  },
  {
    method: 'POST',
    path: /^\/transactions$/,
    describe: () => 'Look for it in `svc transactions list` before you send it again',
  },
  {
    method: 'POST',
    path: /^\/automation-rules$/,
    describe: () =>
      'See whether it is in `svc rules list`; to run `svc rules create` again is safe, since it looks first',
  },
  {
    method: 'PUT',
    path: /^\/automation-rules\/[^/]+$/,
    describe: (id) => `See what it is with \`svc rules get ${id}\`; to send the same again is safe`,
  },
  {
    method: 'DELETE',
    path: /^\/automation-rules\/[^/]+$/,
    describe: (id) => `See whether it is still there with \`svc rules get ${id}\``,
  },
]

// The last piece of a path as a person writes it in a command.
function getLastId(path: string): string {
  const piece = path.split('/').at(-1) ?? ''
  try {
    return quoteForShell(decodeURIComponent(piece))
  } catch {
    return quoteForShell(piece)
  }
}

export function describeCheck({method, path}: RequestLine): string {
  const found = outcomeChecks.find((check) => check.method === method && check.path.test(path))
  return found?.describe(getLastId(path)) ?? checkFirst
}

// For who stops svc while a write is under way: it may have arrived.
export const describeInterruptedWrite = (write: RequestLine): {message: string; hint: string} => ({
  message: `Stopped while ${write.method} ${write.path} was under way: it may or may not have happened`,
  hint: describeCheck(write),
})

// By the code of the refusal.
export const rejectionHints: Readonly<Record<string, string>> = {
  PATCH_NOT_ALLOWED:
    'Data is taken only while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION; `svc customers get` shows its status',
}
