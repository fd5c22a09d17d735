// What to do next about a request, by its endpoint or by the refusal, where it can be said more exactly than in general.

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
]

export function howToCheck({method, path}: Request): string {
  const found = checks.find((check) => check.method === method && check.path.test(path))
  // Where only the path of the contract is known, its last piece is a name in braces.
  return found?.how((path.split('/').at(-1) ?? '').replace(/^\{.*\}$/, 'ID')) ?? checkFirst
}

// By the code of the refusal.
export const afterRefusal: Readonly<Record<string, string>> = {
  PATCH_NOT_ALLOWED:
    'Data is taken only while the customer is CREATED or NEEDS_ADDITIONAL_INFORMATION; `svc customers get` shows its status',
}
