// The bodies of requests. Written from the contract by `npm run entities`.

import type {PaymentMethod} from './values.ts'

export interface CustomerCreate {
  customerType: 'INDIVIDUAL' | 'BUSINESS'
  email: string
  firstName?: string | undefined
  lastName?: string | undefined
  businessName?: string | undefined
  /** Immediate verification submission for individuals */
  kycData?: KycData | undefined
  /** Immediate verification submission for businesses */
  kybData?: KybData | undefined
}

export interface KycData {
  /** As on the ID */
  legalFirstName?: string | undefined
  legalMiddleName?: string | undefined
  legalLastName?: string | undefined
  phoneNumber?: string | undefined
  dateOfBirth?: string | undefined
  address?: Address | undefined
  nationalIdIssuingCountry?: string | undefined
  nationalIdType?: 'SSN' | 'TIN' | 'NATIONAL_ID' | (string & {}) | undefined
  nationalIdNumber?: string | undefined
  nationality?: string | undefined
  documents?: Array<Document> | undefined
  employmentStatus?: 'EMPLOYED' | 'SELF_EMPLOYED' | 'UNEMPLOYED' | 'RETIRED' | 'STUDENT' | (string & {}) | undefined
  /** Occupation code or title */
  mostRecentOccupation?: string | undefined
  sourceOfFunds?:
    | 'SALARY'
    | 'EMPLOYMENT'
    | 'BUSINESS'
    | 'INVESTMENTS'
    | 'INHERITANCE'
    | 'SAVINGS'
    | (string & {})
    | undefined
  accountPurpose?: 'PERSONAL_EXPENSES' | 'PERSONAL_USE' | 'BUSINESS_USE' | 'INVESTMENT' | (string & {}) | undefined
  /** Free text description of another purpose */
  accountPurposeOther?: string | undefined
  expectedMonthlyPaymentsUsd?:
    | 'BETWEEN_5000_9999'
    | 'BETWEEN_10000_49999'
    | 'UNDER_10K'
    | '10K_TO_50K'
    | '50K_TO_100K'
    | 'OVER_100K'
    | (string & {})
    | undefined
  /** Whether the customer acts on behalf of others */
  isIntermediary?: boolean | undefined
}

export interface Address {
  countryCode?: string | undefined
  streetLine1?: string | undefined
  streetLine2?: string | undefined
  city?: string | undefined
  /** Two-letter state code where applicable */
  stateRegionProvince?: string | undefined
  /** Validated per country */
  postalCode?: string | undefined
  /** Language-region tag */
  locale?: string | undefined
}

export interface Document {
  type?: 'GOVERNMENT_ID' | 'PROOF_OF_ADDRESS' | undefined
  subtype?: 'NATIONAL_ID' | 'PASSPORT' | (string & {}) | undefined
  countryCode?: string | undefined
  documentIdNumber?: string | undefined
  issuanceDate?: string | undefined
  expirationDate?: string | undefined
  frontIdImage?: string | undefined
  backIdImage?: string | undefined
  proofOfAddressImage?: string | undefined
  /** Notes about the document */
  description?: string | undefined
}

export interface KybData {
  businessInfo?: BusinessInfo | undefined
  businessRegisteredAddress?: Address | undefined
  businessOperatingAddress?: Address | undefined
  businessRegistrationNumber?: string | undefined
  sourceOfFunds?: 'SALE_OF_GOODS_AND_SERVICES' | (string & {}) | undefined
  sourceOfFundsDescription?: string | undefined
  accountPurpose?: 'CHARITABLE_DONATIONS' | (string & {}) | undefined
  accountPurposeOther?: string | undefined
  expectedMonthlyVolumeUsd?: 'LESS_THAN_10000' | 'BETWEEN_10000_99999' | (string & {}) | undefined
  estimatedAnnualRevenueUsd?: 'LESS_THAN_100000' | 'BETWEEN_100000_999999' | (string & {}) | undefined
  conductsMoneyServices?: boolean | undefined
  conductsMoneyServicesDescription?: string | undefined
  conductsMoneyServicesThroughSvc?: boolean | undefined
  operatesInProhibitedCountries?: boolean | undefined
  complianceScreeningDescription?: string | undefined
  highRiskActivities?: Array<'ADULT_ENTERTAINMENT' | 'FOREIGN_EXCHANGE_OR_BROKERAGE' | (string & {})> | undefined
  highRiskActivitiesExplanation?: string | undefined
  associatedPersons?: Array<AssociatedPerson> | undefined
  businessDocuments?: Array<BusinessDocument> | undefined
}

export interface BusinessInfo {
  legalBusinessName?: string | undefined
  dbaName?: string | undefined
  businessType?: 'C_CORPORATION' | 'B_CORPORATION' | (string & {}) | undefined
  /** Industry code */
  businessIndustries?: string | undefined
  businessDescription?: string | undefined
  website?: string | undefined
  /** URLs or handles */
  otherLinks?: Array<string> | undefined
  formationDate?: string | undefined
  registrationCountry?: string | undefined
  isDao?: boolean | undefined
}

export interface AssociatedPerson {
  /** As on the ID */
  legalFirstName?: string | undefined
  legalMiddleName?: string | undefined
  legalLastName?: string | undefined
  phoneNumber?: string | undefined
  dateOfBirth?: string | undefined
  address?: Address | undefined
  nationalIdIssuingCountry?: string | undefined
  nationalIdType?: 'SSN' | 'TIN' | 'NATIONAL_ID' | (string & {}) | undefined
  nationalIdNumber?: string | undefined
  nationality?: string | undefined
  documents?: Array<Document> | undefined
  email?: string | undefined
  ownershipPercentage?: number | undefined
  title?: string | undefined
  isControlPerson?: boolean | undefined
  isSigner?: boolean | undefined
  isDirector?: boolean | undefined
}

export interface BusinessDocument {
  type?: 'ARTICLES_OF_INCORPORATION' | (string & {}) | undefined
  description?: string | undefined
  documentImage?: string | undefined
}

export interface CustomerPatch {
  kycData?: KycData | undefined
  kybData?: KybData | undefined
}

export interface QuoteCreate {
  customerId: string
  source: {
    sourcePaymentAccountId: string
    /** Currency label */
    sourceCurrency: string
    sourcePaymentMethod: PaymentMethod
    sourceAmount: string
  }
  destination: {
    destinationPaymentAccountId: string
    destinationPaymentMethod: PaymentMethod
    /** Currency label */
    destinationCurrency: string
  }
  developerFee?: DeveloperFee | undefined
  /** When true, the exact destination amount of the quote is guaranteed to be received */
  guaranteeQuote?: boolean | undefined
}

export interface DeveloperFee {
  developerFeeType: 'USD' | 'SOURCE_CURRENCY'
  developerFeeAmount: string
}

export interface TransactionCreate {
  quoteId: string
  /** Caller-supplied value to match internal records */
  correlationId?: string | undefined
}

export interface RuleCreate {
  name: string
  customerId: string
  transactionTemplate: RuleTemplateRequest
  trigger: RuleTrigger
}

export interface RuleTemplateRequest {
  source: {
    /** Must be a service-managed crypto wallet */
    sourcePaymentAccountId: string
    sourcePaymentMethod: PaymentMethod
    /** Currency label */
    sourceCurrency: string
  }
  destination: {
    /** External bank account, service-managed crypto wallet, or external crypto wallet */
    destinationPaymentAccountId: string
    destinationPaymentMethod: PaymentMethod
    /** Currency label */
    destinationCurrency: string
  }
  amount: RuleAmount
  developerFee?: DeveloperFee | undefined
}

export type RuleAmount =
  | {
      type: 'FLAT'
      /** Fixed amount */
      value: string
    }
  | {
      type: 'PCT'
      /** Percentage of the balance */
      value: string
    }

export type RuleTrigger =
  | {
      type: 'THRESHOLD_BASED'
      /** Fires when the source account balance reaches or exceeds this amount */
      thresholdAmount: string
    }
  | {
      type: 'TIME_BASED'
      /** Five-field cron expression evaluated in UTC */
      cronSchedule: string
    }

export interface RuleUpdate {
  id: string
  name: string
  customerId: string
  transactionTemplate: RuleTemplateRequest
  trigger: RuleTrigger
}
