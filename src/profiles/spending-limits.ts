// What a profile may spend, and where to: limits that bind every command that writes, whatever it is asked for.
import {SvcError} from '../errors.ts'

// Amounts are decimal text, by the label of the currency that leaves.
export interface SpendingLimits {
  paymentMax?: Readonly<Record<string, string>> | undefined
  dayMax?: Readonly<Record<string, string>> | undefined
  // The payment accounts that may be paid to.
  destinations?: readonly string[] | undefined
}

// Whether a request whose outcome is not known may be sent again, byte for byte, while its quote lives.
export const resendPolicies = ['never', 'while-quoted'] as const
export type ResendPolicy = (typeof resendPolicies)[number]

export const hasLimits = ({paymentMax, dayMax, destinations}: SpendingLimits) =>
  Boolean(paymentMax ?? dayMax ?? destinations)

export const createLimitError = (message: string, hint: string, problems?: readonly string[]) =>
  new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message, hint, problems})
