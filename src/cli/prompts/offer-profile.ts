// Offers the sandbox, or the way to log in, to a user without any profile.
import {type Caller, findCaller, noCaller} from '../../profiles/caller.ts'
import {sandboxName, updateSettings} from '../../profiles/profiles.ts'
import {pick} from './ask.ts'
import {suggestProfile} from '../../values/text.ts'

export async function offerProfile(): Promise<Caller> {
  const choice = await pick('No profile is set up yet. What would you like to use?', [
    {name: 'The embedded sandbox, this once', value: 'once', short: 'the sandbox, this once'},
    {name: 'The embedded sandbox, from now on', value: 'always', short: 'the sandbox, from now on'},
    {name: 'The real service: quit and run `svc login`', value: 'login'},
  ])
  if (choice === 'once') suggestProfile(sandboxName)
  if (choice === 'always') await updateSettings((settings) => void (settings.current = sandboxName))
  const caller = choice === 'login' ? undefined : findCaller(sandboxName)
  if (!caller) throw noCaller()
  return caller
}
