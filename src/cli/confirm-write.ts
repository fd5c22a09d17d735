// The yes of a person who was shown what a write will do and where, before it is sent.
import {Declined} from '../errors.ts'
import type {Caller} from '../profiles/caller.ts'
import {describePlace} from '../profiles/write-gate.ts'
import type {Box} from './output/box.ts'

export interface WriteConfirmation {
  // Says what will happen, in a box or in words. It is called only if someone is asked.
  describe?: () => Promise<Box | string> | Box | string
  // Says what happens to whom. A function is called after `describe`.
  question: string | (() => string)
}

// How a write is agreed to: by --yes, or by the answer of a person. What nobody is asked about needs neither.
export interface WriteConsent {
  yes?: boolean
  ask?: WriteConfirmation | undefined
}

export async function confirmWrite(caller: Caller, {describe, question}: WriteConfirmation): Promise<void> {
  const described = await describe?.()
  if (described) await showWrite(caller, described)
  const {requireYes} = await import('./prompts/ask.ts')
  // The description may have been read from the service, with a price.
  await requireYes(
    typeof question === 'string' ? question : question(),
    described ? 'Stopped; nothing was changed' : undefined,
    goBack,
  )
}

// A wizard shows its answers again.
function goBack(): never {
  throw new Declined()
}

async function showWrite(caller: Caller, described: Box | string): Promise<void> {
  const {showBox} = await import('./output/box.ts')
  if (typeof described !== 'string') return showBox(described)
  const lines = described.split('\n').map((text) => ({text}))
  const title = `Please confirm ${describePlace(caller)}`
  return showBox({title, isLive: caller.environment === 'live', groups: [[{label: '', lines}]]})
}
