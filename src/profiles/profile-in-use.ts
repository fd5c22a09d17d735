// Which profile a command uses here if it names none with --profile.
import {SvcError} from '../errors.ts'
import {findCaller} from './caller.ts'

interface ProfileInUse {
  // Absent if the credential comes from the environment, or if there is no profile to use.
  name?: string | undefined
  chosenBy?: string | undefined
  // Why no command can run here without naming a profile.
  problem?: SvcError
}

// A file or a variable that cannot be used must not keep a person from seeing the profiles.
export function findProfileInUse(): ProfileInUse {
  try {
    const caller = findCaller(process.env['SVC_PROFILE'] || undefined)
    return {name: caller?.profileName, chosenBy: caller?.chosenBy}
  } catch (error) {
    if (error instanceof SvcError) return {problem: error}
    throw error
  }
}
