// What to do next about a request, by its endpoint or by the refusal, where it can be said more exactly than in general.
import {shellWord} from '../validation/shell-word.ts'

interface Request {
  method: string
  path: string
}

interface Check {
  method: string
  path: RegExp
  // How to see whether it happened. `id` is the last piece of the path.
  how: (id: string) => string
}

// A write of which nobody knows whether it happened must never look like one that did not.
const checkFirst = 'Check what the service has before you send it again'

const checks: readonly Check[] = [
  {
    method: 'POST',
    path: /^\/customers$/,
    how: () => 'Look for the email in `svc customers list --all` before you create the customer again',
  },
  {
    method: 'PATCH',
    path: /^\/customers\/[^/]+$/,
    how: (id) => `See \`svc customers get ${id}\`: the customer is UNDER_REVIEW if it arrived`,
  },
  {
    method: 'POST',
    path: /^\/quotes$/,
    how: () => 'Simply ask for it again: a quote moves nothing, and one that nobody uses expires',
  },
  {
    method: 'POST',
    path: /^\/transactions$/,
    how: () => 'Look for it in `svc transactions list` before you send it again',
  },
  {
    method: 'POST',
    path: /^\/automation-rules$/,
    how: () => 'See whether it is in `svc rules list`; to run `svc rules create` again is safe, since it looks first',
  },
  {
    method: 'PUT',
    path: /^\/automation-rules\/[^/]+$/,
    how: (id) => `See what it is with \`svc rules get ${id}\`; to send the same again is safe`,
  },
  {
    method: 'DELETE',
    path: /^\/automation-rules\/[^/]+$/,
    how: (id) => `See whether it is still there with \`svc rules get ${id}\``,
  },
]

// The last piece of a path as a person writes it in a command.
function idOf(path: string): string {
  const piece = path.split('/').at(-1) ?? ''
  try {
    return shellWord(decodeURIComponent(piece))
  } catch {
    return shellWord(piece)
  }
}

export function howToCheck({method, path}: Request): string {
  const found = checks.find((check) => check.method === method && check.path.test(path))
  return found?.how(idOf(path)) ?? checkFirst
}

// For who stops svc while a write is under way: it may have arrived.
export const writeCutShort = (write: Request): {message: string; hint: string} => ({
  message: `Stopped while ${write.method} ${write.path} was under way: it may or may not have happened`,
  hint: howToCheck(write),
})

// By the code of the refusal.
export const afterRefusal: Readonly<Record<string, string>> = {
  PATCH_NOT_ALLOWED:
    'Data is taken only while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION; `svc customers get` shows its status',
}
