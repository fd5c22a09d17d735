// Payment accounts of the sandbox: which accounts exist, their fields, and how they are listed.
import {describe, expect, it} from 'vitest'
import {cryptoMethods} from '../../../../src/contract/vocabulary.ts'
import {ControlError} from '../../../../src/sandbox/operations/control-error.ts'
import {call, openTemporary, callExpectingError} from '../../open.ts'
import {listAccounts, dayMs, grace, readUsdcBalance, nobody, pay, quoteBody, findAccountEnds, zoe} from './payments.ts'

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('an ACTIVE demo customer', () => {
  it('has accounts of each type with the fields of the interface', async () => {
    const {paymentAccounts} = await listAccounts(openTemporary(), `customerId=${zoe}&pageSize=100`)
    expect(paymentAccounts.find(({svcCryptoWallet}) => svcCryptoWallet)).toMatchObject({
      svcCryptoWallet: {
        cryptoWalletType: 'SOLANA',
        address: {chain: 'SOLANA', address: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43}$/)},
      },
    })
    expect(paymentAccounts.find(({externalCryptoWallet}) => externalCryptoWallet)).toMatchObject({
      externalCryptoWallet: {
        currency: {
          label: 'USDC',
          chain: 'SOLANA',
          currencyDecimals: 6,
          contractAddress: expect.stringMatching(/^EPjFW/),
        },
        address: {chain: 'SOLANA'},
      },
    })
    const sepa = paymentAccounts.find(({externalBankAccount: bank}) => bank?.bankAccountPaymentMethod === 'SEPA')
    expect(sepa?.externalBankAccount).toEqual({
      bankAccountType: 'CHECKING',
      bankAccountOwnerName: 'Zoë Ångström',
      bankAccountOwnerEmail: 'zoe.angstrom@example.org',
      bankName: 'Nordhafen Bank AG',
      bankAccountCurrency: {label: 'EUR'},
      bankAccountMask: expect.stringMatching(/^\*{4}\d{4}$/),
      bankAccountPaymentMethod: 'SEPA',
    })
    const deposits = paymentAccounts.find(({svcAutoFiatAccount}) => svcAutoFiatAccount)?.svcAutoFiatAccount
    expect(deposits?.currency).toEqual({label: 'USD'})
    const supported = deposits?.supportedDestinationCurrencies ?? []
    expect(supported.map(({label, chain}) => `${label} ${chain}`)).toEqual(
      cryptoMethods.flatMap((chain) => (chain === 'BASE' ? [`USDC ${chain}`] : [`USDC ${chain}`, `USDT ${chain}`])),
    )
  })
})

describe('an automatic fiat account', () => {
  it('can be quoted to each of its supportedDestinationCurrencies, and to no other', async () => {
    const sandbox = openTemporary()
    const {paymentAccounts} = await listAccounts(sandbox, `customerId=${zoe}&pageSize=100`)
    const supported =
      paymentAccounts.find(({svcAutoFiatAccount}) => svcAutoFiatAccount)?.svcAutoFiatAccount
        ?.supportedDestinationCurrencies ?? []
    const {deposits} = findAccountEnds(sandbox)
    for (const chain of cryptoMethods) {
      const {paymentAccountId: id} = sandbox.money.addAccount({customerId: zoe, type: 'SVC_CRYPTO_WALLET', chain})
      const wallet = {id, method: chain}
      for (const currency of ['USDC', 'USDT']) {
        const body = quoteBody(deposits, {...wallet, currency}, '100')
        const isSupported = supported.some((each) => each.label === currency && each.chain === chain)
        expect([chain, currency, (await call(sandbox, 'POST', '/quotes', body)).status]).toEqual([
          chain,
          currency,
          isSupported ? 200 : 400,
        ])
      }
    }
  })
})

describe('listing payment accounts', () => {
  it('requires a customer, with its id in upper or lower case, and is empty for an unknown one', async () => {
    const sandbox = openTemporary()
    const {paymentAccounts} = await listAccounts(sandbox, `customerId=${zoe}`)
    expect(await listAccounts(sandbox, `customerId=${zoe.toUpperCase()}`)).toEqual({paymentAccounts})
    expect((await callExpectingError(sandbox, 'GET', '/payment-accounts')).message).toMatch(/^customerId is required/)
    expect(await listAccounts(sandbox, `customerId=${nobody}`)).toEqual({paymentAccounts: []})
  })
})

describe('the person who runs the sandbox', () => {
  it('can read the balance of a wallet, and gets nothing for an account without one', () => {
    const sandbox = openTemporary()
    const {wallet, ACH: bank} = findAccountEnds(sandbox)
    sandbox.money.fund(wallet.id, '0.5')
    expect(sandbox.money.balance(wallet.id, 'USDC')).toBe(readUsdcBalance(sandbox, wallet))
    expect(sandbox.money.balance(wallet.id, 'USD')).toBeUndefined()
    expect(sandbox.money.balance(bank.id, 'USD')).toBeUndefined()
    expect(sandbox.money.balance(nobody, 'USDC')).toBeUndefined()
  })

  it('can add accounts of every type, which can be used immediately', async () => {
    const sandbox = openTemporary()
    const wallet = sandbox.money.addAccount({
      customerId: zoe,
      type: 'SVC_CRYPTO_WALLET',
      chain: 'POLYGON',
      currency: 'USDT',
      balance: '77.5',
    })
    expect(wallet).toMatchObject({
      svcCryptoWallet: {cryptoWalletType: 'EVM', address: {chain: 'POLYGON'}},
      balances: {USDC: '0.00', USDT: '77.50'},
    })
    const bank = sandbox.money.addAccount({customerId: zoe, type: 'EXTERNAL_BANK_ACCOUNT', method: 'CA_INTERAC'})
    expect(bank.externalBankAccount?.bankAccountCurrency).toEqual({label: 'CAD'})
    const deposits = sandbox.money.addAccount({customerId: zoe, type: 'SVC_AUTO_FIAT_ACCOUNT', currency: 'EUR'})
    expect(deposits.svcAutoFiatAccount?.currency).toEqual({label: 'EUR'})
    const own = sandbox.money.addAccount({customerId: zoe, type: 'EXTERNAL_CRYPTO_WALLET', chain: 'ETHEREUM'})
    expect(own.externalCryptoWallet?.address?.address).toMatch(/^0x[0-9a-f]{40}$/)
    const from = {id: wallet.paymentAccountId, method: 'POLYGON', currency: 'USDT'}
    const to = {id: bank.paymentAccountId, method: 'CA_INTERAC', currency: 'CAD'}
    expect(await pay(sandbox, from, to, '50')).toMatchObject({transactionStatus: 'CREATED'})
  })

  it.each([
    [{type: 'EXTERNAL_BANK_ACCOUNT', method: 'BASE'}, /bank account/],
    [{type: 'EXTERNAL_BANK_ACCOUNT', method: 'SEPA', currency: 'USD'}, /SEPA moves EUR/],
    [{type: 'EXTERNAL_BANK_ACCOUNT', chain: 'BASE'}, /no chain/],
    [{type: 'SVC_CRYPTO_WALLET', chain: 'ACH'}, /not a crypto network/],
    [{type: 'SVC_CRYPTO_WALLET', chain: 'BASE', currency: 'USDT'}, /no USDT on BASE/],
    [{type: 'SVC_CRYPTO_WALLET', pending: true}, /PENDING/],
    [{type: 'SVC_CRYPTO_WALLET', balance: '-1'}, /not an amount/],
    [{type: 'SVC_AUTO_FIAT_ACCOUNT', currency: 'JPY'}, /No rail moves JPY/],
    [{type: 'EXTERNAL_BANK_ACCOUNT', balance: '1'}, /holds a balance/],
  ] as const)('is refused %j, and nothing is added', (order, sentence) => {
    const sandbox = openTemporary()
    const before = sandbox.money.accounts(zoe)
    expect(() => sandbox.money.addAccount({customerId: zoe, ...order})).toThrow(sentence)
    expect(() => sandbox.money.addAccount({customerId: nobody, type: 'SVC_CRYPTO_WALLET'})).toThrow(ControlError)
    expect(sandbox.money.accounts(zoe)).toEqual(before)
  })

  it('can complete a pending account, which then has an id and a creation time', async () => {
    const sandbox = openTemporary()
    const pending = sandbox.money.addAccount({
      customerId: grace,
      type: 'EXTERNAL_BANK_ACCOUNT',
      method: 'SEPA',
      pending: true,
    })
    const token = pending.bankAccountFormLink?.split('/').at(-1) ?? ''
    sandbox.clock.advance(dayMs)
    const done = sandbox.money.completeAccount(token)
    expect(done).toMatchObject({paymentAccountStatus: 'ACTIVE', createdAt: '2026-11-16T12:00:00Z'})
    expect(done.paymentAccountId).toMatch(uuid)
    expect(done).not.toHaveProperty('bankAccountFormLink')
    expect(() => sandbox.money.completeAccount(token)).toThrow(ControlError)
  })
})
