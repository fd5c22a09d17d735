// The spending limits of a profile. They apply to every command that writes.
import {SvcError} from '../errors.ts'

// Amounts are decimal strings, by the label of the source currency.
export interface SpendingLimits {
  paymentMax?: Readonly<Record<string, string>> | undefined
  dayMax?: Readonly<Record<string, string>> | undefined
  // The only payment accounts that may be paid to.
  destinations?: readonly string[] | undefined
}

export const hasLimits = ({paymentMax, dayMax, destinations}: SpendingLimits) =>
  Boolean(paymentMax ?? dayMax ?? destinations)

export const createLimitError = (message: string, hint: string, problems?: readonly string[]) =>
  new SvcError({error: 'LIMIT_REACHED', kind: 'limit', message, hint, problems})
