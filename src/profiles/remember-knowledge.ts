// Keeps in a profile what a probe found out about its service, and forgets it.
import {requireProfile, updateSettings} from './profiles.ts'
import type {ServiceKnowledge} from './service-knowledge.ts'

export const rememberKnowledge = (name: string, knowledge: ServiceKnowledge): Promise<void> =>
  updateSettings((settings) => {
    settings.profiles[name] = {...requireProfile(name), knowledge}
  })

export const forgetKnowledge = (name: string): Promise<void> =>
  updateSettings((settings) => {
    const {knowledge, ...profile} = requireProfile(name)
    if (knowledge) settings.profiles[name] = profile
  })
