// What is said of words on the command line that svc does not take: the nearest that it does, and never a secret.
import {findNearest} from './find-nearest.ts'

// An id is no secret, and worth repeating.
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

// What keys and tokens begin with, and then anything long in which letters and digits are mixed.
const secretStart = /^(sk|pk|rk|api|key|tok|token|secret|bearer|whsec|gh[a-z])[-_]|^eyJ/i
const secretLengthMin = 24

function looksLikeSecret(word: string): boolean {
  if (uuid.test(word)) return false
  const isMixed = /\d/.test(word) && /[a-z]/i.test(word) && !/[\s/]/.test(word)
  return secretStart.test(word) || (word.length >= secretLengthMin && isMixed)
}

export const maskSecret = (word: string): string => (looksLikeSecret(word) ? '(not shown)' : word)

interface UsageProblem {
  message: string
  hint?: string
}

const seeHelp = (commandLine: string) => `\`${commandLine} --help\` lists them`

export function describeUnknownFlags(
  given: readonly string[],
  known: readonly string[],
  commandLine: string,
): UsageProblem {
  // What stands behind the = may be a secret.
  const names = given.map((word) => maskSecret(word.split('=', 1)[0] ?? word))
  const near = findNearest(
    names[0] ?? '',
    known.map((name) => `--${name}`),
  )
  return {
    message: names.length === 1 ? `There is no flag ${names[0]}` : `There are no flags ${names.join(', ')}`,
    hint: near ? `Did you mean ${near}? ${seeHelp(commandLine)}` : seeHelp(commandLine),
  }
}

// What follows `svc login` is most likely the secret, whatever it looks like.
const secretAsArgument: UsageProblem = {
  message: '`svc login` takes no argument, and a secret is never one: it stays in the history of the shell',
  hint: 'Type it at the prompt, give it on standard input, or set SVC_API_KEY with SVC_BASE_URL instead of logging in',
}

export function describeUnexpectedArguments(given: readonly string[], commandLine: string): UsageProblem {
  if (commandLine === 'svc login') return secretAsArgument
  return {message: `Unexpected argument${given.length === 1 ? '' : 's'}: ${given.map(maskSecret).join(', ')}`}
}
