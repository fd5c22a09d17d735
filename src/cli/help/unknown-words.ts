// Describes words on the command line that svc does not accept, with the nearest known word. Possible secrets are masked.
import {isUuid} from '../../contract/ids.ts'
import {type SvcError, badUsage} from '../../errors.ts'
import {findNearest} from './find-nearest.ts'

// Common beginnings of keys and tokens. Long words that mix letters and digits are treated as secrets too.
const secretStart = /^(sk|pk|rk|api|key|tok|token|secret|bearer|whsec|gh[a-z])[-_]|^eyJ/i
const secretLengthMin = 24

function looksLikeSecret(word: string): boolean {
  // An id is no secret, and useful in an error message.
  if (isUuid(word)) return false
  const isMixed = /\d/.test(word) && /[a-z]/i.test(word) && !/[\s/]/.test(word)
  return secretStart.test(word) || (word.length >= secretLengthMin && isMixed)
}

const maskSecret = (word: string): string => (looksLikeSecret(word) ? '(not shown)' : word)

const wordsShown = 2

// `words` are what was typed before the first flag, `known` the commands and topics as they are typed.
export function createUnknownCommand(words: readonly string[], known: readonly string[]): SvcError {
  const typed = words.slice(0, wordsShown).map(maskSecret).join(' ')
  const nearest = findNearest(typed, known)
  const allCommands = '`svc help` lists all commands'
  if (nearest === typed) return badUsage(`"${typed}" is a topic, not a command`, `\`svc ${typed}\` lists its commands`)
  return badUsage(
    `There is no command "${typed}"`,
    nearest ? `Did you mean \`svc ${nearest}\`? ${allCommands}` : allCommands,
  )
}

export function createUnknownFlags(words: readonly string[], known: readonly string[], commandLine: string): SvcError {
  // A value after = may be a secret.
  const names = words.map((word) => maskSecret(word.split('=', 1)[0] ?? word))
  const nearest = findNearest((names[0] ?? '').replace(/^-+/, ''), known)
  const allFlags = `\`${commandLine} --help\` lists all flags`
  return badUsage(
    `Unknown flag${names.length === 1 ? '' : 's'} ${names.join(', ')}`,
    nearest ? `Did you mean --${nearest}? ${allFlags}` : allFlags,
  )
}

export function createUnexpectedArguments(words: readonly string[], commandLine: string): SvcError {
  // A word after `svc login` is most likely the secret, whatever it looks like, so it is never repeated.
  if (commandLine === 'svc login')
    return badUsage(
      '`svc login` takes no arguments, because a secret on the command line stays in the shell history',
      'Type the secret at the prompt or pass it on standard input, or set SVC_API_KEY and SVC_BASE_URL instead of logging in',
    )
  const shown = words.map(maskSecret).join(', ')
  return badUsage(`Unexpected argument${words.length === 1 ? '' : 's'}: ${shown}`, `See \`${commandLine} --help\``)
}
