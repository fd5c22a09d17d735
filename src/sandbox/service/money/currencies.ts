// The currencies of each rail and chain, and amounts of them.
import {Big} from 'big.js'
import {findCurrencyDecimals} from '../../../values/currencies.ts'
import {cryptoMethods, currencyByMethod, fiatMethods} from '../../../contract/vocabulary.ts'

// What all money here is computed with. Strict mode refuses floating-point numbers. The decimals of quotients are more than any rate
// or currency has, and no more, since division takes the longest.
export const Decimal = Big()
Decimal.strict = true
Decimal.DP = 15

export type FiatMethod = (typeof fiatMethods)[number]
export type CryptoMethod = (typeof cryptoMethods)[number]
export type PaymentMethod = FiatMethod | CryptoMethod

export interface CurrencyObject {
  label: string
  chain?: string
  contractAddress?: string
  currencyDecimals?: number
}

interface MethodFacts {
  // The service's fee is a share plus a fixed part.
  share: string
  fixedUsd: string
  // How long the service waits for an external transfer by it.
  fundingHours: number
  // How long a transfer takes that arrives by it.
  settlementMinutes: number
}

// What each rail and each network costs, and how long it takes.
export const methodFacts: Readonly<Record<PaymentMethod, MethodFacts>> = {
  ACH: {share: '0.005', fixedUsd: '0.25', fundingHours: 72, settlementMinutes: 30},
  WIRE: {share: '0.0025', fixedUsd: '5', fundingHours: 48, settlementMinutes: 15},
  SEPA: {share: '0.004', fixedUsd: '0.20', fundingHours: 48, settlementMinutes: 10},
  CA_INTERAC: {share: '0.006', fixedUsd: '0.30', fundingHours: 24, settlementMinutes: 5},
  IN_NEFT_RTGS_IMPS: {share: '0.008', fixedUsd: '0.20', fundingHours: 24, settlementMinutes: 5},
  ARBITRUM: {share: '0.001', fixedUsd: '0.05', fundingHours: 1, settlementMinutes: 1},
  BASE: {share: '0.001', fixedUsd: '0.05', fundingHours: 1, settlementMinutes: 1},
  ETHEREUM: {share: '0.001', fixedUsd: '1.50', fundingHours: 1, settlementMinutes: 3},
  OPTIMISM: {share: '0.001', fixedUsd: '0.05', fundingHours: 1, settlementMinutes: 1},
  POLYGON: {share: '0.001', fixedUsd: '0.03', fundingHours: 1, settlementMinutes: 2},
  SOLANA: {share: '0.001', fixedUsd: '0.02', fundingHours: 1, settlementMinutes: 1},
}

// The addresses of the token contracts on each network.
export const tokensOfChain: Readonly<Record<CryptoMethod, Readonly<Record<string, string>>>> = {
  ARBITRUM: {
    USDC: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
    USDT: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
  },
  BASE: {USDC: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'},
  ETHEREUM: {
    USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
    USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  },
  OPTIMISM: {
    USDC: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
    USDT: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
  },
  POLYGON: {
    USDC: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
    USDT: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
  },
  SOLANA: {
    USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  },
}

export const isFiat = (method: string): method is FiatMethod => (fiatMethods as readonly string[]).includes(method)
export const isCrypto = (method: string): method is CryptoMethod =>
  (cryptoMethods as readonly string[]).includes(method)

export const listRails = (currency: string): FiatMethod[] =>
  fiatMethods.filter((method) => currencyByMethod[method] === currency)

export const listCurrencies = (method: PaymentMethod): string[] =>
  isFiat(method) ? [currencyByMethod[method]] : Object.keys(tokensOfChain[method])

export function getDecimals(label: string): number {
  const decimals = findCurrencyDecimals(label)
  if (decimals === undefined) throw new Error(`There is no currency ${label}`)
  return decimals
}

// A currency as replies have it: a token includes its network.
export function toCurrencyObject(label: string, method: string): CurrencyObject {
  const contractAddress = isCrypto(method) ? tokensOfChain[method][label] : undefined
  return contractAddress === undefined
    ? {label}
    : {label, chain: method, contractAddress, currencyDecimals: getDecimals(label)}
}

const decimalsShownMin = 2

// As replies have it: 10 USDC is written 10.00, and 0.125 USDC is written as it is.
export const writeAmount = (amount: Big, label: string): string =>
  amount.toFixed(Math.max(Math.min(decimalsShownMin, getDecimals(label)), amount.c.length - 1 - amount.e))

// Whether the currency has too few decimals for the amount.
export const isTooFine = (amount: Big, label: string): boolean => !amount.round(getDecimals(label)).eq(amount)
