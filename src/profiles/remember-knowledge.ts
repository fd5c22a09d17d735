// Keeps in a profile what a probe found out about its service, and forgets it.
import {requireProfile, updateSettings} from './profiles.ts'
import type {ServiceKnowledge} from './service-knowledge.ts'

export const rememberKnowledge = (name: string, knowledge: ServiceKnowledge): Promise<void> =>
  updateSettings((settings) => {
    settings.profiles[name] = {...requireProfile(name), knowledge}
  })

// Takes over what was found out about another service, such as the test environment of this one.
export function adoptKnowledge(name: string, knowledge: ServiceKnowledge, serviceId: string): Promise<void> {
  const {serviceId: probedId, takenFrom = probedId} = knowledge
  return rememberKnowledge(name, {
    ...knowledge,
    serviceId,
    ...(takenFrom !== undefined && takenFrom !== serviceId && {takenFrom}),
  })
}

export const forgetKnowledge = (name: string): Promise<void> =>
  updateSettings((settings) => {
    const {knowledge, ...profile} = requireProfile(name)
    if (knowledge) settings.profiles[name] = profile
  })
