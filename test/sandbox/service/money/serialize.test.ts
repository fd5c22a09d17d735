// Transactions and terms are serialized as JSON.stringify() would, whatever their ids contain.
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {anyCharacter} from '../../../support/any-character.ts'
import {seed} from '../../../support/seed.ts'
import {toCurrencyObject} from '../../../../src/sandbox/service/money/currencies.ts'
import {serializeTerms, serializeTransaction} from '../../../../src/sandbox/service/money/serialize.ts'
import type {Terms} from '../../../../src/sandbox/service/money/terms.ts'
import type {Transaction} from '../../../../src/sandbox/service/money/transitions.ts'

const amount = '10.00'
const fee = {feeAmount: '0.300025', feeUSDAmount: '0.30'}
const at = '2026-01-03T11:00:00Z'

// The fields are in the order in which openTransaction() sets them.
const buildTransaction = (id: string, correlationId: string | undefined, isCompleted: boolean, awaits: boolean) =>
  ({
    transactionId: '6d852d43-8d70-46a2-b544-20599bf68174',
    customerId: id,
    quoteId: 'quote_38d81ff656d1c4895dbaefb4',
    transactionStatus: isCompleted ? 'COMPLETED' : 'CREATED',
    ...(correlationId !== undefined && {correlationId}),
    source: {
      sourcePaymentAccountId: id,
      sourceCurrency: toCurrencyObject('USDC', 'SOLANA'),
      sourcePaymentMethod: 'SOLANA',
      sourceAmount: amount,
      ...(isCompleted && {sourceReferenceId: 'KLXtM7AYrPmuzCFm'}),
    },
    destination: {
      destinationPaymentAccountId: id,
      destinationPaymentMethod: 'ACH',
      destinationCurrency: toCurrencyObject('USD', 'ACH'),
      exchangeRate: '0.9999287448',
      destinationAmount: amount,
      ...(isCompleted && {destinationReferenceId: 'ACH-773016222868483'}),
    },
    fees: {feeCurrency: toCurrencyObject('USDC', 'SOLANA'), svcFee: fee, developerFee: fee},
    ...(awaits && {transferInstructions: {type: 'CRYPTO', transferAddress: id}}),
    createdAt: at,
    updatedAt: at,
    ...(awaits && {expiresAt: at}),
  }) as unknown as Transaction

const buildTerms = (id: string, guaranteed: boolean): Terms => ({
  customerId: id,
  organizationId: id,
  source: {accountId: id, method: 'SOLANA', currency: 'USDC', accountType: 'SVC_CRYPTO_WALLET', minor: '10000000'},
  destination: {accountId: id, method: 'ACH', currency: 'USD', accountType: 'EXTERNAL_BANK_ACCOUNT', minor: '969'},
  rate: '0.9999037657',
  svcFee: {minor: '300025', usd: '0.30'},
  developerFee: {minor: '0', usd: '0.00'},
  guaranteed,
})

const text = fc.oneof(fc.uuid(), fc.string({unit: anyCharacter}), fc.constantFrom('"', '\\', '\n', 'é', '\u{2028}', ''))

describe('the text of a row', () => {
  it('is that of JSON.stringify() for a transaction', () => {
    fc.assert(
      fc.property(text, fc.option(text, {nil: undefined}), fc.boolean(), fc.boolean(), (id, correlationId, ...rest) => {
        const reply = buildTransaction(id, correlationId, ...rest)
        expect(serializeTransaction(reply)).toBe(JSON.stringify(reply))
      }),
      {seed},
    )
  })

  it('is that of JSON.stringify() for the terms of a quote', () => {
    fc.assert(
      fc.property(text, fc.boolean(), (id, guaranteed) => {
        const terms = buildTerms(id, guaranteed)
        expect(serializeTerms(terms)).toBe(JSON.stringify(terms))
      }),
      {seed},
    )
  })
})
