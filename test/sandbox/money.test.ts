// Accounts, prices and transactions: their fields, how long each step takes, which end is possible, and what it does to the balance.
import {Big} from 'big.js'
import * as fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {transactionStatuses} from '../../src/contract/transactions.ts'
import {cryptoMethods} from '../../src/contract/vocabulary.ts'
import {ControlError} from '../../src/sandbox/operations/control-error.ts'
import {type Settlement, settlements} from '../../src/sandbox/service/faults/behaviour-table.ts'
import {getDecimals} from '../../src/sandbox/service/money/currencies.ts'
import {
  computeDeveloperFee,
  computeRate,
  computeServiceFee,
  convertByRate,
  getUsdPrice,
} from '../../src/sandbox/service/money/prices.ts'
import {seed} from '../support/seed.ts'
import {
  type AccountEndName,
  call,
  createTransaction,
  dayMs,
  findAccountEnds,
  hourMs,
  listAllTransactions,
  listPage,
  minuteMs,
  nobody,
  noon,
  openTemporary,
  pay,
  querySql,
  quoteBody,
  readBalance,
  readTransaction,
  refuseTransaction,
  requestQuote,
  temporaryFile,
  zoe,
} from './open.ts'

const base58 = (length: number) => expect.stringMatching(new RegExp(`^[1-9A-HJ-NP-Za-km-z]{${length}}$`)) as string

describe('an account', () => {
  it('has the fields of the interface, for each type', async () => {
    const {paymentAccounts} = await listPage(openTemporary(), '/payment-accounts', {customerId: zoe, pageSize: 100})
    const find = (has: (account: (typeof paymentAccounts)[number]) => unknown) => paymentAccounts.find(has)
    expect(find(({svcCryptoWallet}) => svcCryptoWallet)?.svcCryptoWallet).toEqual({
      cryptoWalletType: 'SOLANA',
      address: {chain: 'SOLANA', address: base58(43)},
    })
    expect(find(({externalCryptoWallet}) => externalCryptoWallet)?.externalCryptoWallet).toMatchObject({
      currency: {label: 'USDC', chain: 'SOLANA', currencyDecimals: 6, contractAddress: expect.stringMatching(/^EPjFW/)},
      address: {chain: 'SOLANA'},
    })
    expect(find((each) => each.externalBankAccount?.bankAccountPaymentMethod === 'SEPA')?.externalBankAccount).toEqual({
      bankAccountType: 'CHECKING',
      bankAccountOwnerName: 'Zoë Ångström',
      bankAccountOwnerEmail: 'zoe.angstrom@example.org',
      bankName: 'Nordhafen Bank AG',
      bankAccountCurrency: {label: 'EUR'},
      bankAccountMask: expect.stringMatching(/^\*{4}\d{4}$/),
      bankAccountPaymentMethod: 'SEPA',
    })
    expect(find(({svcAutoFiatAccount}) => svcAutoFiatAccount)?.svcAutoFiatAccount?.currency).toEqual({label: 'USD'})
  })

  it('for automatic deposits can be quoted to each of its supportedDestinationCurrencies, and to no other', async () => {
    const sandbox = openTemporary()
    const {paymentAccounts} = await listPage(sandbox, '/payment-accounts', {customerId: zoe, pageSize: 100})
    const supported = paymentAccounts.flatMap((each) => each.svcAutoFiatAccount?.supportedDestinationCurrencies ?? [])
    expect(supported).toHaveLength(11)
    const {deposits} = findAccountEnds(sandbox)
    for (const chain of cryptoMethods) {
      const {paymentAccountId: id} = sandbox.money.addAccount({customerId: zoe, type: 'SVC_CRYPTO_WALLET', chain})
      for (const currency of ['USDC', 'USDT']) {
        const body = quoteBody(deposits, {id, method: chain, currency}, '100')
        const isSupported = supported.some((each) => each.label === currency && each.chain === chain)
        const {status} = await call(sandbox, 'POST', '/quotes', body)
        expect([chain, currency, status]).toEqual([chain, currency, isSupported ? 200 : 400])
      }
    }
  })

  it('of every type can be added, and used at once', async () => {
    const sandbox = openTemporary()
    const add = (order: object) => sandbox.money.addAccount({customerId: zoe, type: 'SVC_CRYPTO_WALLET', ...order})
    const wallet = add({chain: 'POLYGON', currency: 'USDT', balance: '77.5'})
    expect(wallet).toMatchObject({
      svcCryptoWallet: {cryptoWalletType: 'EVM', address: {chain: 'POLYGON'}},
      balances: {USDC: '0.00', USDT: '77.50'},
    })
    const bank = add({type: 'EXTERNAL_BANK_ACCOUNT', method: 'CA_INTERAC'})
    expect(bank.externalBankAccount?.bankAccountCurrency).toEqual({label: 'CAD'})
    const deposits = add({type: 'SVC_AUTO_FIAT_ACCOUNT', currency: 'EUR'})
    expect(deposits.svcAutoFiatAccount?.currency).toEqual({label: 'EUR'})
    const own = add({type: 'EXTERNAL_CRYPTO_WALLET', chain: 'ETHEREUM'})
    expect(own.externalCryptoWallet?.address?.address).toMatch(/^0x[0-9a-f]{40}$/)
    const from = {id: wallet.paymentAccountId, method: 'POLYGON', currency: 'USDT'}
    const to = {id: bank.paymentAccountId, method: 'CA_INTERAC', currency: 'CAD'}
    expect(await pay(sandbox, from, to, '50')).toMatchObject({transactionStatus: 'CREATED'})
    expect([wallet, bank].map(({paymentAccountId}) => sandbox.money.balance(paymentAccountId, 'CAD'))).toEqual([
      undefined,
      undefined,
    ])
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
    [{type: 'SVC_CRYPTO_WALLET', customerId: nobody}, /no customer/],
  ] as const)('is not added as %j', (order, sentence) => {
    const sandbox = openTemporary()
    const before = sandbox.money.accounts(zoe)
    expect(() => sandbox.money.addAccount({customerId: zoe, ...order})).toThrow(sentence)
    expect(sandbox.money.accounts(zoe)).toEqual(before)
  })
})

describe('a price', () => {
  // More digits than any figure here has.
  const Exact = Big()
  Exact.DP = 60
  const label = fc.constantFrom('USD', 'EUR', 'CAD', 'INR', 'USDC', 'USDT')
  const instant = fc.integer({min: Date.UTC(2020, 0), max: Date.UTC(2040, 0)})
  const cents = fc.oneof(fc.integer({min: 0, max: 100_000}), fc.integer({min: 0, max: 10 ** 14}))

  it('is rounded in favour of the service: what arrives down, what is charged up, dollars to the nearest cent', () => {
    fc.assert(
      fc.property(cents, label, label, instant, (count, from, to, at) => {
        const amount = new Exact(count).div(100)
        const [price, other] = [getUsdPrice(from, at), getUsdPrice(to, at)]
        const rate = computeRate(price, other)
        const exact = new Exact(price).div(other)
        expect(exact.minus(rate).toNumber()).toBeGreaterThanOrEqual(0)
        expect(exact.minus(rate).div(exact).toNumber()).toBeLessThan(1e-9)
        expect(convertByRate(amount, rate, to).eq(amount.times(rate).round(getDecimals(to), Big.roundDown))).toBe(true)
        const fee = computeServiceFee(amount, {label: from, price}, 'BASE', 'ACH')
        const excess = fee.amount.minus(amount.times('0.005')).minus(new Exact('0.25').div(price))
        expect(excess.gte('-1e-12') && excess.lt(new Exact(10).pow(-getDecimals(from)).times(2))).toBe(true)
        expect(fee.usd).toBe(new Exact(fee.amount).times(price).toFixed(2, Big.roundHalfUp))
        const requested = {developerFeeType: 'USD', developerFeeAmount: '0.25'} as const
        expect(computeDeveloperFee(requested, {label: from, price})).toMatchObject({fee: {usd: '0.25'}})
      }),
      {seed, numRuns: 400},
    )
  })

  it('changes every minute a little, and is the same on every machine', async () => {
    const rate = async (sandbox = openTemporary()) => {
      const {wallet, SEPA} = findAccountEnds(sandbox)
      return (await requestQuote(sandbox, quoteBody(wallet, SEPA, '100'))).estimatedExchangeRate
    }
    const sandbox = openTemporary()
    const first = await rate(sandbox)
    sandbox.clock.advance(minuteMs - 1)
    expect([await rate(), await rate(sandbox)]).toEqual([first, first])
    sandbox.clock.advance(1)
    const second = await rate(sandbox)
    expect(second).not.toBe(first)
    expect(Math.abs(Number(second) / Number(first) - 1)).toBeLessThan(0.02)
  })

  it('has the developer fee, in US dollars or in the source currency', async () => {
    const sandbox = openTemporary()
    const {SEPA, wallet} = findAccountEnds(sandbox)
    const feesFor = async (developerFeeType: string) => {
      const developerFee = {developerFeeType, developerFeeAmount: '2.5'}
      return (await requestQuote(sandbox, quoteBody(SEPA, wallet, '100', {developerFee}))).fees
    }
    const inEuro = await feesFor('SOURCE_CURRENCY')
    expect(inEuro).toMatchObject({feeCurrency: {label: 'EUR'}, developerFee: {feeAmount: '2.50'}})
    expect(Number(inEuro.developerFee?.feeUSDAmount)).toBeGreaterThan(2.5)
    const inDollars = await feesFor('USD')
    expect(inDollars.developerFee?.feeUSDAmount).toBe('2.50')
    expect(Number(inDollars.developerFee?.feeAmount)).toBeLessThan(2.5)
  })

  it('needs a developer fee of at least the service’s fee on the Builder tier', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    sandbox.faults.setBehaviours({tier: 'builder'})
    const withFee = (developerFeeAmount: string) =>
      quoteBody(wallet, ACH, '100', {developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount}})
    const refuse = async (body: object) => (await call(sandbox, 'POST', '/quotes', body)).body as {message: string}
    const missing = await refuse(quoteBody(wallet, ACH, '100'))
    expect(missing).toMatchObject({error: 'BAD_REQUEST', message: expect.stringMatching(/^developerFee is required/)})
    const least = /at least (\d+\.\d+)/.exec(missing.message)?.[1] ?? ''
    expect((await requestQuote(sandbox, withFee(least))).fees).toMatchObject({
      svcFee: {feeAmount: least},
      developerFee: {feeAmount: least},
    })
    const low = await refuse(withFee(String(Number(least) - 0.001)))
    expect(low.message).toMatch(/^developerFee\.developerFeeAmount must be at least/)
  })
})

describe('a transaction from a service-managed wallet', () => {
  it('holds the money at once, and becomes CREATED, PROCESSING and COMPLETED', async () => {
    const sandbox = openTemporary()
    const {wallet, SEPA} = findAccountEnds(sandbox)
    const left = Number(readBalance(sandbox, wallet)) - 100
    const {quoteId, ...price} = await requestQuote(sandbox, quoteBody(wallet, SEPA, '100'))
    const created = await createTransaction(sandbox, {quoteId, correlationId: 'invoice 7'})
    expect(created).toMatchObject({
      transactionStatus: 'CREATED',
      correlationId: 'invoice 7',
      quoteId,
      source: {sourceAmount: '100.00', sourceCurrency: {label: 'USDC', chain: 'SOLANA'}},
      destination: {destinationAmount: price.destinationAmount, exchangeRate: price.estimatedExchangeRate},
      fees: price.fees,
    })
    for (const absent of ['expiresAt', 'transferInstructions', 'source.sourceReferenceId'])
      expect(created).not.toHaveProperty(absent)
    expect(Number(readBalance(sandbox, wallet))).toBeCloseTo(left, 6)
    sandbox.clock.advance(2_000)
    const processing = await readTransaction(sandbox, created)
    expect(processing).toMatchObject({transactionStatus: 'PROCESSING', source: {sourceReferenceId: base58(88)}})
    expect(processing.destination).not.toHaveProperty('destinationReferenceId')
    sandbox.clock.advance(10 * minuteMs)
    expect(await readTransaction(sandbox, created)).toMatchObject({
      transactionStatus: 'COMPLETED',
      updatedAt: '2026-11-15T12:10:02Z',
      destination: {destinationReferenceId: expect.stringMatching(/^SEPA-\d{15}$/)},
    })
    expect(Number(readBalance(sandbox, wallet))).toBeCloseTo(left, 6)
  })

  it('is refused if the balance is too small by the smallest unit, and nothing changes', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const before = readBalance(sandbox, wallet)
    const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, new Big(before).plus('0.000001').toFixed()))
    expect(await refuseTransaction(sandbox, {quoteId})).toMatchObject({
      error: 'INSUFFICIENT_BALANCE',
      statusCode: 422,
      message: expect.stringContaining('source.sourcePaymentAccountId'),
    })
    expect(readBalance(sandbox, wallet)).toBe(before)
    expect(await pay(sandbox, wallet, ACH, before)).toMatchObject({transactionStatus: 'CREATED'})
    expect(readBalance(sandbox, wallet)).toBe('0.00')
  })
})

describe('a transaction that awaits a transfer', () => {
  const bank = ['transferBankName', 'transferBankAccountNumber']
  const rails: readonly (readonly [AccountEndName, AccountEndName, number, readonly string[]])[] = [
    ['ACH', 'wallet', 72, [...bank, 'transferRoutingNumber']],
    ['WIRE', 'wallet', 48, [...bank, 'transferRoutingNumber', 'transferBicSwift', 'transferBankAddress']],
    ['SEPA', 'wallet', 48, ['transferBankName', 'transferIban', 'transferBicSwift', 'transferBankAddress']],
    ['CA_INTERAC', 'wallet', 24, ['transferPaymentLink']],
    ['IN_NEFT_RTGS_IMPS', 'wallet', 24, [...bank, 'transferIfscCode']],
    ['ownWallet', 'SEPA', 1, ['transferAddress']],
  ]

  it.each(rails)('from %s to %s waits %i hours, has instructions, and expires', async (from, to, hours, fields) => {
    const sandbox = openTemporary()
    const ends = findAccountEnds(sandbox)
    const waiting = await pay(sandbox, ends[from], ends[to], '1000')
    const {transferInstructions = {}, expiresAt = '', transactionStatus} = waiting
    expect([transactionStatus, Date.parse(expiresAt)]).toEqual(['AWAITING_TRANSFER', noon.getTime() + hours * hourMs])
    const isFiat = from !== 'ownWallet'
    const always = [
      'type',
      'transferPaymentMethod',
      'transferMessage',
      ...(isFiat ? ['transferBankBeneficiaryName'] : []),
    ]
    expect(Object.keys(transferInstructions).toSorted()).toEqual([...always, ...fields].toSorted())
    const method = isFiat ? from : 'SOLANA'
    expect(transferInstructions).toMatchObject({type: isFiat ? 'fiat' : 'crypto', transferPaymentMethod: method})
    sandbox.clock.advance(hours * hourMs - 1)
    expect(await readTransaction(sandbox, waiting)).toMatchObject({transactionStatus: 'AWAITING_TRANSFER'})
    sandbox.clock.advance(1)
    const expired = await readTransaction(sandbox, waiting)
    expect(expired).toMatchObject({transactionStatus: 'EXPIRED', updatedAt: expiresAt})
    expect(expired).not.toHaveProperty('expiresAt')
    expect(() => sandbox.money.fund(ends[from].id, '1000')).toThrow(ControlError)
  })

  it('is processed when the exact amount arrives, which credits the wallet', async () => {
    const sandbox = openTemporary()
    const {deposits, wallet} = findAccountEnds(sandbox)
    const before = Number(readBalance(sandbox, wallet))
    const waiting = await pay(sandbox, deposits, wallet, '250')
    expect(() => sandbox.money.fund(deposits.id, '249.99')).toThrow(/No transaction waits for 249\.99 USD.*250\.00 USD/)
    expect(() => sandbox.money.fund(deposits.id, '250', 'EUR')).toThrow(/in USD/)
    const queued = sandbox.status().queue.waiting
    const funded = sandbox.money.fund(deposits.id, '250.00')
    expect(funded).toMatchObject({transactionId: waiting.transactionId, transactionStatus: 'PROCESSING'})
    expect(funded).not.toHaveProperty('expiresAt')
    expect(sandbox.status().queue.waiting).toBe(queued)
    sandbox.clock.advance(minuteMs)
    const {transactionStatus, destination} = await readTransaction(sandbox, waiting)
    expect(transactionStatus).toBe('COMPLETED')
    expect(Number(readBalance(sandbox, wallet))).toBeCloseTo(before + Number(destination.destinationAmount), 6)
  })
})

it.each([
  ['the quoted one while the quote is valid', 5 * minuteMs - 1, false, true],
  ['the current one afterwards', 5 * minuteMs, false, false],
  ['always the quoted one if it is guaranteed', dayMs, true, true],
])('the price at which a transaction is completed is %s', async (_, ms, guaranteeQuote, isQuoted) => {
  const sandbox = openTemporary()
  const {SEPA, wallet} = findAccountEnds(sandbox)
  const opened = await pay(sandbox, SEPA, wallet, '100', {guaranteeQuote})
  sandbox.clock.advance(ms)
  const {destination} = sandbox.money.settle(opened.transactionId, 'completed')
  expect(destination.exchangeRate === opened.destination.exchangeRate).toBe(isQuoted)
  expect(destination.destinationAmount === opened.destination.destinationAmount).toBe(isQuoted)
})

describe('the end of a transaction', () => {
  // What an hour makes of each amount. Wallets have no deadline; an external transfer arrives by itself, or never.
  it.each([
    ['wallet', '10.01', 'FAILED'],
    ['wallet', '10.02', 'CANCELLED'],
    ['wallet', '10.03', 'COMPLETED'],
    ['wallet', '10.05', 'PROCESSING'],
    ['wallet', '10.010000', 'FAILED'],
    ['wallet', '10.011', 'COMPLETED'],
    ['wallet', '10.1', 'COMPLETED'],
    ['ACH', '20.01', 'FAILED'],
    ['ACH', '20.02', 'CANCELLED'],
    ['ACH', '20.03', 'EXPIRED'],
    ['ACH', '20.04', 'COMPLETED'],
    ['ACH', '20.05', 'PROCESSING'],
    ['ACH', '20.00', 'AWAITING_TRANSFER'],
  ] as const)('from %s of the amount %s is %s', async (from, amount, status) => {
    const sandbox = openTemporary()
    const ends = findAccountEnds(sandbox)
    const before = readBalance(sandbox, ends.wallet)
    const opened = await pay(sandbox, ends[from], ends.ownWallet, amount)
    sandbox.clock.advance(hourMs)
    expect((await readTransaction(sandbox, opened)).transactionStatus).toBe(status)
    const isPaid = from === 'wallet' && !['FAILED', 'CANCELLED'].includes(status)
    expect(readBalance(sandbox, ends.wallet) === before).toBe(!isPaid)
    sandbox.clock.advance(3 * dayMs)
    if (status === 'PROCESSING') expect((await readTransaction(sandbox, opened)).transactionStatus).toBe('COMPLETED')
    sandbox.money.verifyLedger()
  })

  const open: readonly Settlement[] = ['completed', 'failed', 'cancelled']
  const possible: Readonly<Record<(typeof transactionStatuses)[number], readonly Settlement[]>> = {
    CREATED: open,
    AWAITING_TRANSFER: [...open, 'expired'],
    PROCESSING: open,
    COMPLETED: [],
    FAILED: [],
    CANCELLED: [],
    EXPIRED: [],
  }
  const cases = transactionStatuses.flatMap((start) => settlements.map((outcome) => [start, outcome] as const))

  it.each(cases)('can be forced from %s to %s where the table says so, and is then final', async (start, outcome) => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const before = readBalance(sandbox, wallet)
    const isOutside = start === 'AWAITING_TRANSFER' || start === 'EXPIRED'
    const opened = await (isOutside ? pay(sandbox, ACH, wallet, '30') : pay(sandbox, wallet, ACH, '30'))
    if (start === 'PROCESSING') sandbox.clock.advance(2_000)
    if (possible[start].length === 0) sandbox.money.settle(opened.transactionId, start.toLowerCase() as Settlement)
    const settle = () => sandbox.money.settle(opened.transactionId, outcome)
    expect((await readTransaction(sandbox, opened)).transactionStatus).toBe(start)
    if (!possible[start].includes(outcome)) {
      expect(settle).toThrow(ControlError)
      expect((await readTransaction(sandbox, opened)).transactionStatus).toBe(start)
      return
    }
    const settled = settle()
    expect(settled.transactionStatus).toBe(outcome.toUpperCase())
    sandbox.money.verifyLedger()
    if (outcome !== 'completed') expect(readBalance(sandbox, wallet)).toBe(before)
    else expect(Number(readBalance(sandbox, wallet)) > Number(before)).toBe(isOutside)
    sandbox.clock.advance(hourMs)
    expect(await readTransaction(sandbox, opened)).toEqual(settled)
  })

  it.each(settlements.slice(1))('is %s if that is chosen, at once or later, and the money returns', async (outcome) => {
    const sandbox = openTemporary()
    const {wallet, deposits, ACH, ownWallet} = findAccountEnds(sandbox)
    const [before, status] = [readBalance(sandbox, wallet), outcome.toUpperCase()]
    sandbox.faults.setBehaviours({transactionOutcome: outcome})
    expect((await pay(sandbox, wallet, ACH, '10')).transactionStatus).toBe(status)
    expect((await pay(sandbox, deposits, ownWallet, '10')).transactionStatus).toBe(status)
    sandbox.faults.setBehaviours({outcomeAfterSeconds: 90})
    const later = await pay(sandbox, wallet, ACH, '10')
    const seen: string[] = [later.transactionStatus]
    for (const ms of [89_999, 1, dayMs]) {
      sandbox.clock.advance(ms)
      sandbox.faults.resetBehaviours()
      seen.push((await readTransaction(sandbox, later)).transactionStatus)
    }
    expect(seen).toEqual(['CREATED', 'PROCESSING', status, status])
    expect(readBalance(sandbox, wallet)).toBe(before)
    sandbox.money.verifyLedger()
  })
})

describe('a list of transactions', () => {
  it('has demo transactions in every status, with the same ids on every machine, and a valid ledger', async () => {
    const sandbox = openTemporary()
    const all = await listAllTransactions(sandbox, {pageSize: 100})
    expect([...new Set(all.map((each) => each.transactionStatus))].toSorted()).toEqual(transactionStatuses.toSorted())
    const ids = (list: typeof all) => list.map(({transactionId}) => transactionId)
    expect(ids(await listAllTransactions(openTemporary({seed: 'y'})))).toEqual(ids(all))
    expect(sandbox.money.verifyLedger().entries).toBeGreaterThan(100)
  })

  it.each(['newest-first', 'oldest-first'] as const)(
    'lags by the configured seconds with every filter, %s',
    async (listOrder) => {
      const sandbox = openTemporary()
      const {wallet, ACH} = findAccountEnds(sandbox)
      sandbox.faults.setBehaviours({listLagSeconds: 90, listOrder})
      const {transactionId} = await pay(sandbox, wallet, ACH, '10')
      const seen = async () => {
        const found = [{}, {customerId: zoe}, {paymentAccountId: wallet.id}].map(async (query) =>
          (await listAllTransactions(sandbox, {...query, pageSize: 3})).some(
            (each) => each.transactionId === transactionId,
          ),
        )
        return new Set(await Promise.all(found))
      }
      sandbox.clock.advance(89_999)
      expect(await seen()).toEqual(new Set([false]))
      sandbox.clock.advance(1)
      expect(await seen()).toEqual(new Set([true]))
    },
  )

  it('reads a deep page by an index, without sorting other rows', () => {
    const file = temporaryFile()
    openTemporary({file})
    for (const filter of ['', 'customerSeq = ? and', 'organizationSeq = ? and', 'sourceAccountSeq = ? and']) {
      for (const after of [
        '(createdAt, seq) < (5, 5) order by createdAt desc, seq desc limit 3',
        '(createdAt, seq) > (5, 5) order by createdAt, seq limit 3',
      ]) {
        const plan = querySql(file, `explain query plan select reply from transactions where ${filter} ${after}`)
        const text = plan.map(({detail}) => String(detail)).join('\n')
        expect(text).toMatch(/USING INDEX transactionsBy\w+ \(.*\(createdAt,seq\)[<>]\(\?,\?\)\)/)
        expect(text).not.toContain('TEMP B-TREE')
      }
    }
  })
})
