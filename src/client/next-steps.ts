// Hints about what to do after a write with an unknown outcome, or after a refusal, by endpoint and by error code.
import {quoteForShell} from '../values/text.ts'
import type {RequestLine} from './connection.ts'

interface OutcomeCheck {
  method: string
  path: RegExp
  // How to see whether the write happened. `id` is the last segment of the path.
  describe: (id: string) => string
}

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
    describe: () => 'Request it again: a quote moves no money, and an unused one expires',
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
      'See whether it is in `svc rules list`; it is safe to run `svc rules create` again, because it looks first',
  },
  {
    method: 'PUT',
    path: /^\/automation-rules\/[^/]+$/,
    describe: (id) => `See its state with \`svc rules get ${id}\`; it is safe to send the same again`,
  },
  {
    method: 'DELETE',
    path: /^\/automation-rules\/[^/]+$/,
    describe: (id) => `See whether it is still there with \`svc rules get ${id}\``,
  },
]

// The last segment of a path, as it is written in a command.
function getLastId(path: string): string {
  const segment = path.split('/').at(-1) ?? ''
  try {
    return quoteForShell(decodeURIComponent(segment))
  } catch {
    return quoteForShell(segment)
  }
}

export function describeCheck({method, path}: RequestLine): string {
  const found = outcomeChecks.find((check) => check.method === method && check.path.test(path))
  return found?.describe(getLastId(path)) ?? checkFirst
}

// Shown if svc is stopped while a write is under way, since the write may have arrived.
export const describeInterruptedWrite = (write: RequestLine): {message: string; hint: string} => ({
  message: `Stopped while ${write.method} ${write.path} was under way: it may or may not have happened`,
  hint: describeCheck(write),
})

// By the error code of the service.
export const rejectionHints: Readonly<Record<string, string>> = {
  PATCH_NOT_ALLOWED:
    'Data is accepted only while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION; `svc customers get` shows its status',
}
