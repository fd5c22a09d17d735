// The entities that the service replies with. Written from the contract by `npm run entities`.

import type {IssueCode, PaymentMethod} from './values.ts'

export interface Customer {
  customerId: string
  customerStatus:
    | 'CREATED'
    | 'UNDER_REVIEW'
    | 'NEEDS_ADDITIONAL_INFORMATION'
    | 'ACTIVE'
    | 'REJECTED'
    | 'DEACTIVATED'
    | (string & {})
  customerType: 'INDIVIDUAL' | 'BUSINESS' | (string & {})
  /** Full name of person or business */
  name: string
  email: string
  /** Address of the hosted KYC/KYB form */
  verificationLink?: string | undefined
  /** Time of the last status update */
  updatedAt: string
  /** Owning organization */
  organizationId: string
  /** Payment methods accessible to the customer; only when requested with includePaymentMethods */
  availablePaymentMethods?: Array<PaymentMethod | (string & {})> | undefined
  verificationIssues?: Array<VerificationIssue> | undefined
}

export interface VerificationIssue {
  /** Standardized issue code */
  code: IssueCode | (string & {})
  /** User-facing text describing what to correct */
  message: string
  /** When the issue was detected */
  timestamp: string
}

export interface PaymentAccount {
  /** Empty while the account is PENDING */
  paymentAccountId: string
  paymentAccountType:
    | 'EXTERNAL_BANK_ACCOUNT'
    | 'SVC_AUTO_FIAT_ACCOUNT'
    | 'EXTERNAL_CRYPTO_WALLET'
    | 'SVC_CRYPTO_WALLET'
    | (string & {})
  nickname?: string | undefined
  /** Absent while PENDING */
  createdAt?: string | undefined
  customerId: string
  paymentAccountStatus: 'ACTIVE' | 'PENDING' | (string & {})
  isThirdParty?: boolean | undefined
  /** Hosted form of a PENDING bank account */
  bankAccountFormLink?: string | undefined
  externalBankAccount?:
    | {
        bankAccountType?: 'CHECKING' | (string & {}) | undefined
        bankAccountOwnerName?: string | undefined
        bankAccountOwnerEmail?: string | undefined
        bankName?: string | undefined
        bankAccountCurrency?: Currency | undefined
        bankAccountMask?: string | undefined
        bankAccountPaymentMethod?:
          | 'ACH'
          | 'WIRE'
          | 'SEPA'
          | 'CA_INTERAC'
          | 'IN_NEFT_RTGS_IMPS'
          | (string & {})
          | undefined
      }
    | undefined
  svcAutoFiatAccount?:
    | {
        currency?: Currency | undefined
        supportedDestinationCurrencies?: Array<Currency> | undefined
      }
    | undefined
  externalCryptoWallet?:
    | {
        currency?: Currency | undefined
        address?: ChainAddress | undefined
      }
    | undefined
  svcCryptoWallet?:
    | {
        cryptoWalletType?: 'EVM' | (string & {}) | undefined
        address?: ChainAddress | undefined
      }
    | undefined
}

export interface Currency {
  /** Currency code: fiat such as USD or EUR, crypto such as USDC */
  label: string
  /** Crypto network name; crypto only */
  chain?: string | undefined
  /** Token contract address; crypto only */
  contractAddress?: string | undefined
  /** Decimal places of the token; crypto only */
  currencyDecimals?: number | undefined
}

export interface ChainAddress {
  address: string
  chain: string
}

export interface Quote {
  quoteId: string
  /** Five minutes after creation */
  expiresAt: string
  /** Multiplier from source to destination currency */
  estimatedExchangeRate: string
  /** Amount received after conversion and fees */
  destinationAmount: string
  fees: Fees
}

export interface Fees {
  /** Currency of the fees: the source currency */
  feeCurrency: Currency
  svcFee: Fee
  developerFee?: Fee | undefined
}

export interface Fee {
  feeAmount: string
  feeUSDAmount: string
}

export interface Transaction {
  transactionId: string
  customerId: string
  quoteId: string
  transactionStatus:
    | 'AWAITING_TRANSFER'
    | 'PROCESSING'
    | 'COMPLETED'
    | 'FAILED'
    | 'CANCELLED'
    | 'CREATED'
    | 'EXPIRED'
    | (string & {})
  correlationId?: string | undefined
  source: {
    sourcePaymentAccountId: string
    sourceCurrency: Currency
    sourcePaymentMethod: string
    sourceAmount: string
    /** For example a chain transaction hash */
    sourceReferenceId?: string | undefined
  }
  destination: {
    destinationPaymentAccountId: string
    destinationPaymentMethod: string
    destinationCurrency: Currency
    exchangeRate?: string | undefined
    destinationAmount?: string | undefined
    destinationReferenceId?: string | undefined
  }
  fees: Fees
  transferInstructions?: TransferInstructions | undefined
  createdAt: string
  updatedAt: string
  /** Only for status AWAITING_TRANSFER */
  expiresAt?: string | undefined
}

export interface TransferInstructions {
  type: 'fiat' | (string & {})
  transferPaymentMethod?: string | undefined
  transferBankBeneficiaryName?: string | undefined
  transferBankName?: string | undefined
  transferBankAddress?: string | undefined
  transferBankAccountNumber?: string | undefined
  transferRoutingNumber?: string | undefined
  transferIban?: string | undefined
  transferBicSwift?: string | undefined
  transferIfscCode?: string | undefined
  transferSortCode?: string | undefined
  transferBsbNumber?: string | undefined
  transferTransitNumber?: string | undefined
  transferBankCode?: string | undefined
  transferBranchCode?: string | undefined
  transferRoutingCode?: string | undefined
  transferClearingCode?: string | undefined
  transferClabeNumber?: string | undefined
  transferCnapsCode?: string | undefined
  transferNubanCode?: string | undefined
  transferPixCode?: string | undefined
  transferPaymentLink?: string | undefined
  transferMessage?: string | undefined
}

export interface AutomationRule {
  id: string
  name: string
  customerId: string
  transactionTemplate: {
    source: {
      sourcePaymentAccountId: string
      sourcePaymentMethod: string
      sourceCurrency: Currency
    }
    destination: {
      destinationPaymentAccountId: string
      destinationPaymentMethod: string
      destinationCurrency: Currency
    }
    amount: {
      type: 'FLAT' | 'PCT' | (string & {})
      value: string
    }
    developerFee?:
      | {
          developerFeeType: string
          developerFeeAmount: string
        }
      | undefined
  }
  trigger: {
    type: 'THRESHOLD_BASED' | 'TIME_BASED' | (string & {})
    thresholdAmount?: string | undefined
    cronSchedule?: string | undefined
  }
  createdAt?: string | undefined
}
