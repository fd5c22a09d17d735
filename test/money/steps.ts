// The steps of the protocol by name. Tests kill runs before each of them.
import type {Action} from '../../src/payments/protocol/next.ts'

export const steps = [
  'lease',
  'search',
  'askTime',
  'change',
  'quote',
  'confirm',
  'arm',
  'renew',
  'send',
  'create',
  'adopt',
  'REFUSED',
  'REJECTED',
  'UNKNOWN',
  'NOT_FOUND',
  'ABANDONED',
  'resend',
  'wait',
  'end',
] as const

export type Step = (typeof steps)[number]

export function nameStep(action: Action): Step {
  if (action.do === 'record') return action.entry.what as Step
  if (action.do === 'create' && action.wasFound) return 'adopt'
  return action.do === 'arm' && action.again ? 'resend' : action.do
}
