// Adds the profile to the commands that messages suggest: one that was named for this command has to be named for the next
// one too.
import {quoteForShell} from '../../values/text.ts'

let suggested: string | undefined

// Undefined if the next command uses the same profile by itself.
export function suggestProfile(name: string | undefined): void {
  suggested = name
}

// In backquotes, or behind a colon to the end of the line.
const command = /(?<=`)svc [a-z][^`]*(?=`)|(?<=: )svc [a-z]+ [a-z]+ --.*$/g

// They act on no profile, on the sandbox alone, or have named one.
const needsNoProfile = /^svc (help|profiles|alias|autocomplete|docs|sandbox|tour)\b| (-p|--profile|--help)\b/

export function addProfileToCommands(text: string, profile = suggested): string {
  if (profile === undefined) return text
  return text.replaceAll(command, (found) => {
    // Nobody logs in to the sandbox.
    if (needsNoProfile.test(found) || (profile === 'sandbox' && found.startsWith('svc login'))) return found
    return `${found} -p ${quoteForShell(profile)}`
  })
}
