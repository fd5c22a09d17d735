// The terms of a quote: everything that its transaction needs to be carried out.
import type {AccountType} from './account-store.ts'
import type {PaymentMethod} from './currencies.ts'

interface TermsEnd {
  accountId: string
  accountType: AccountType
  method: PaymentMethod
  currency: string
  // Minor units, as text.
  minor: string
}

export interface TermsFee {
  minor: string
  usd: string
}

export interface Terms {
  customerId: string
  organizationId: string
  source: TermsEnd
  destination: TermsEnd
  rate: string
  svcFee: TermsFee
  developerFee: TermsFee
  guaranteed: boolean
}
