// Invented customers, accounts, quotes and transactions of a scripted service, in the format of the interface.
import {Big} from 'big.js'
import {customer} from '../service.ts'
import {seeded} from '../transactions.ts'
import type {Behaviour, Body, Spelling} from './behaviour.ts'

const idFormats = {
  quote: {uuid: '00000000-0000-4000-a000-', firstNumber: 5_000_000},
  transaction: {uuid: '00000000-0000-4000-9000-', firstNumber: 9_000_000},
}

function spellId(kind: keyof typeof idFormats, number: number, spelling: Spelling): string | number {
  const {uuid, firstNumber} = idFormats[kind]
  return spelling === 'numbers' ? firstNumber + number : uuid + String(number).padStart(12, '0')
}

function spellAmount(amount: string, spelling: Spelling): unknown {
  if (spelling === 'numbers') return JSON.rawJSON(new Big(amount).toExponential())
  return spelling === 'loose' ? ` +${amount} ` : amount
}

export const spellCorrelationId = (id: unknown, {spelling}: Behaviour): unknown =>
  typeof id === 'string' && spelling === 'loose' ? id.toUpperCase() : id

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

const createFee = (amount: unknown) => ({feeAmount: amount, feeUSDAmount: amount})

// The destination receives the source amount less both fees, times the rate.
export function createQuote(number: number, request: Body, behaviour: Behaviour, nowMs: number): Quote {
  const {spelling} = behaviour
  const quoteId = spellId('quote', number, spelling)
  const source = request['source'] as Body
  const {developerFeeAmount: developerFee = '0'} = (request['developerFee'] ?? {}) as Record<string, string>
  const amount = new Big(String(source['sourceAmount'])).minus(behaviour.svcFee).minus(developerFee)
  const expiresAtMs = nowMs + behaviour.quoteLifeMs
  return {
    quoteId: String(quoteId),
    request,
    expiresAtMs,
    reply: {
      quoteId,
      expiresAt: formatTime(expiresAtMs),
      estimatedExchangeRate: spellAmount(behaviour.rate, spelling),
      destinationAmount: spellAmount(amount.times(behaviour.rate).round(6, Big.roundDown).toFixed(), spelling),
      fees: {
        feeCurrency: {label: source['sourceCurrency']},
        svcFee: createFee(spellAmount(behaviour.svcFee, spelling)),
        developerFee: createFee(spellAmount(developerFee, spelling)),
      },
    },
  }
}

export function createTransaction(
  number: number,
  quote: Quote,
  correlationId: unknown,
  behaviour: Behaviour,
  nowMs: number,
): Body {
  const {status, spelling} = behaviour
  const {source, destination, customerId} = quote.request as Record<string, Body>
  return {
    transactionId: spellId('transaction', number, spelling),
    customerId,
    quoteId: quote.reply['quoteId'],
    transactionStatus: status,
    ...(correlationId === undefined ? {} : {correlationId: spellCorrelationId(correlationId, behaviour)}),
    source: {
      ...source,
      sourceCurrency: {label: source?.['sourceCurrency']},
      sourceAmount: spellAmount(String(source?.['sourceAmount']), spelling),
    },
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
