// Invented customers, accounts, quotes and transactions of a scripted service, in the format of the interface.
import {Big} from 'big.js'
import {customer} from '../service.ts'
import {seeded} from '../transactions.ts'
import type {Behaviour, Body} from './behaviour.ts'

const formatQuoteId = (number: number) => `00000000-0000-4000-a000-${String(number).padStart(12, '0')}`
const formatTransactionId = (number: number) => `00000000-0000-4000-9000-${String(number).padStart(12, '0')}`
const formatTime = (ms: number) => new Date(ms).toISOString()

export const organizationId = customer(1).organizationId

export const createCustomer = (id: string): Body => customer(1, {customerId: id, name: 'An invented customer'})

const address = {address: 'InventedAddress1111111111111111111111111111', chain: 'SOLANA'}
const usdc = {label: 'USDC', chain: 'SOLANA', currencyDecimals: 6}

// A wallet that can pay and one that can be paid. Those of the customer of the sandbox's demo data have their ids there.
export function createAccounts(customerId: string): Body[] {
  const isSeeded = customerId === seeded.customer
  const common = {customerId, createdAt: '2026-11-01T12:00:00Z', paymentAccountStatus: 'ACTIVE', isThirdParty: false}
  return [
    {
      ...common,
      paymentAccountId: isSeeded ? seeded.wallet : `wallet-${customerId}`,
      paymentAccountType: 'SVC_CRYPTO_WALLET',
      nickname: 'Funds',
      svcCryptoWallet: {cryptoWalletType: 'SOLANA', address},
    },
    {
      ...common,
      paymentAccountId: isSeeded ? seeded.externalWallet : `external-${customerId}`,
      paymentAccountType: 'EXTERNAL_CRYPTO_WALLET',
      nickname: 'Savings',
      externalCryptoWallet: {currency: usdc, address},
    },
  ]
}

export interface Quote {
  quoteId: string
  request: Body
  expiresAtMs: number
  usedAtMs?: number
  reply: Body
}

const createFee = (amount: string) => ({feeAmount: amount, feeUSDAmount: amount})

// The destination receives the source amount less both fees, times the rate.
export function createQuote(number: number, request: Body, behaviour: Behaviour, nowMs: number): Quote {
  const quoteId = formatQuoteId(number)
  const source = request['source'] as Body
  const {developerFeeAmount: developerFee = '0'} = (request['developerFee'] ?? {}) as Record<string, string>
  const amount = new Big(String(source['sourceAmount'])).minus(behaviour.svcFee).minus(developerFee)
  const expiresAtMs = nowMs + behaviour.quoteLifeMs
  return {
    quoteId,
    request,
    expiresAtMs,
    reply: {
      quoteId,
      expiresAt: formatTime(expiresAtMs),
      estimatedExchangeRate: behaviour.rate,
      destinationAmount: amount.times(behaviour.rate).round(6, Big.roundDown).toFixed(),
      fees: {
        feeCurrency: {label: source['sourceCurrency']},
        svcFee: createFee(behaviour.svcFee),
        developerFee: createFee(developerFee),
      },
    },
  }
}

export function createTransaction(
  number: number,
  quote: Quote,
  correlationId: unknown,
  status: string,
  nowMs: number,
): Body {
  const {source, destination, customerId} = quote.request as Record<string, Body>
  return {
    transactionId: formatTransactionId(number),
    customerId,
    quoteId: quote.quoteId,
    transactionStatus: status,
    ...(correlationId === undefined ? {} : {correlationId}),
    source: {...source, sourceCurrency: {label: source?.['sourceCurrency']}},
    destination: {
      ...destination,
      destinationCurrency: {label: destination?.['destinationCurrency']},
      exchangeRate: quote.reply['estimatedExchangeRate'],
      destinationAmount: quote.reply['destinationAmount'],
    },
    fees: quote.reply['fees'],
    createdAt: formatTime(nowMs),
    updatedAt: formatTime(nowMs),
  }
}
