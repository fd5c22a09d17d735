// The name of the service that a profile belongs to, which payment keys belong to as well.
import {badUsage} from '../errors.ts'
import {quoteForShell} from '../values/text.ts'
import {isSandboxId} from '../values/urls.ts'

// Visible ASCII that begins like a word, so that it can be an argument of a command.
const idPattern = /^[a-z0-9][\x21-\x7e]{0,199}$/i

export function parseServiceId(text: string, from: string): string {
  if (!idPattern.test(text)) {
    throw badUsage(
      `${from} ${JSON.stringify(text)} cannot name a service`,
      'Use at most 200 visible ASCII characters without blanks, beginning with a letter or a digit',
    )
  }
  if (isSandboxId(text)) throw badUsage(`${from} "${text}" belongs to the embedded sandbox`, 'Choose another id')
  return text
}

// How a caller states that its service has this id: a command, or a variable if it has no profile.
export const describeStatement = (profileName: string | undefined, serviceId: string) =>
  profileName === undefined
    ? `SVC_SERVICE=${quoteForShell(serviceId)}`
    : `svc profiles set ${quoteForShell(profileName)} --service ${quoteForShell(serviceId)}`
