// Which currencies and payment methods an account accepts, and whether it can pay or receive.
import {type LoosePaymentAccount, getCurrencyLabel, readCode} from '../contract/loose.ts'
import {cryptoMethods, fiatMethods} from '../contract/payment-methods.ts'
import {toText} from '../cli/output/view.ts'
import {lookUp} from '../values/records.ts'

const toTrimmedText = (value: unknown) => toText(value).trim()

export const getAccountId = (account: LoosePaymentAccount) => toTrimmedText(account.paymentAccountId)

export const getAccountType = (account: LoosePaymentAccount) => readCode(account.paymentAccountType)

// A pending account has no id yet, so nothing can refer to it.
export const isPending = (account: LoosePaymentAccount) =>
  getAccountId(account) === '' || readCode(account.paymentAccountStatus) === 'PENDING'

// The service can pay by itself only from its own wallets.
export const isServiceWallet = (account: LoosePaymentAccount) => getAccountType(account) === 'SVC_CRYPTO_WALLET'

// An automatic fiat account takes deposits; nothing can be paid out to it (docs/assumptions.md, M18).
export const canReceive = (account: LoosePaymentAccount) => getAccountType(account) !== 'SVC_AUTO_FIAT_ACCOUNT'

export interface AcceptedValues {
  // Empty if nothing is known.
  values: readonly string[]
  // Whether other values may be accepted, too.
  isOpen: boolean
}

export interface AcceptedRoutes {
  currencies: AcceptedValues
  methods: AcceptedValues
}

// A service wallet does not say what it holds (docs/assumptions.md, M18).
const stablecoins: AcceptedValues = {values: ['USDC', 'USDT'], isOpen: true}
const anyFiat: AcceptedValues = {values: fiatMethods, isOpen: false}
const anyCrypto: AcceptedValues = {values: cryptoMethods, isOpen: false}
const anyMethod: AcceptedValues = {values: [...fiatMethods, ...cryptoMethods], isOpen: false}
const anyRoute: AcceptedRoutes = {currencies: {values: [], isOpen: true}, methods: anyMethod}

function acceptOnly(value: unknown): AcceptedValues {
  const text = toTrimmedText(value)
  return text === '' ? {values: [], isOpen: true} : {values: [text], isOpen: false}
}

// All of the kind, if the account names none of the methods that can be sent.
const acceptMethod = (method: unknown, ofKind: AcceptedValues): AcceptedValues =>
  anyMethod.values.includes(readCode(method)) ? acceptOnly(readCode(method)) : ofKind

const acceptedByType: Readonly<Record<string, (account: LoosePaymentAccount) => AcceptedRoutes>> = {
  EXTERNAL_BANK_ACCOUNT: ({externalBankAccount: bank}) => ({
    currencies: acceptOnly(getCurrencyLabel(bank?.bankAccountCurrency)),
    methods: acceptMethod(bank?.bankAccountPaymentMethod, anyFiat),
  }),
  EXTERNAL_CRYPTO_WALLET: ({externalCryptoWallet: wallet}) => {
    const currency = wallet?.currency
    const currencyChain = typeof currency === 'object' ? currency?.chain : undefined
    return {
      currencies: acceptOnly(getCurrencyLabel(currency)),
      methods: acceptMethod(toTrimmedText(wallet?.address?.chain) || currencyChain, anyCrypto),
    }
  },
  SVC_CRYPTO_WALLET: ({svcCryptoWallet: wallet}) => ({
    currencies: stablecoins,
    methods: acceptMethod(wallet?.address?.chain, anyCrypto),
  }),
  SVC_AUTO_FIAT_ACCOUNT: ({svcAutoFiatAccount: account}) => ({
    currencies: acceptOnly(getCurrencyLabel(account?.currency)),
    methods: anyFiat,
  }),
}

// Nothing is known about an account of an unknown type, or one that is not in the list.
export const getAcceptedRoutes = (account: LoosePaymentAccount | undefined): AcceptedRoutes =>
  (account && lookUp(acceptedByType, getAccountType(account))?.(account)) ?? anyRoute

const isAccepted = ({values, isOpen}: AcceptedValues, wanted: unknown) =>
  wanted === undefined || isOpen || values.some((value) => readCode(value) === readCode(toText(wanted)))

// Undefined means that any currency or method will do.
export function acceptsRoute(account: LoosePaymentAccount, currency: unknown, method: unknown): boolean {
  const {currencies, methods} = getAcceptedRoutes(account)
  return isAccepted(currencies, currency) && isAccepted(methods, method)
}
