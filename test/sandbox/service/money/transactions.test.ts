// Transactions of the sandbox: statuses and transitions, transfer instructions, final prices, and magic amounts.
import {describe, expect, it} from 'vitest'
import {transactionStatuses} from '../../../../src/contract/transactions.ts'
import {ControlError} from '../../../../src/sandbox/operations/control-error.ts'
import {transitions} from '../../../../src/sandbox/service/money/transitions.ts'
import type {Settlement} from '../../../../src/sandbox/service/faults/behaviour-table.ts'
import {openTemporary} from '../../open.ts'
import {
  readTransaction,
  listAllTransactions,
  dayMs,
  readUsdcBalance,
  hourMs,
  minuteMs,
  nobody,
  pay,
  requestQuote,
  quoteBody,
  expectRejection,
  type AccountEndName,
  findAccountEnds,
  createTransaction,
} from './payments.ts'

describe('a chosen outcome', () => {
  it.each([
    ['failed', 'FAILED'],
    ['cancelled', 'CANCELLED'],
    ['expired', 'EXPIRED'],
  ] as const)('of %s ends new transactions immediately or later, and returns the money', async (outcome, status) => {
    const sandbox = openTemporary()
    const {wallet, deposits, ACH, ownWallet} = findAccountEnds(sandbox)
    const before = readUsdcBalance(sandbox, wallet)
    sandbox.faults.setBehaviours({transactionOutcome: outcome})
    expect((await pay(sandbox, wallet, ACH, '10')).transactionStatus).toBe(status)
    expect((await pay(sandbox, deposits, ownWallet, '10')).transactionStatus).toBe(status)
    expect(readUsdcBalance(sandbox, wallet)).toBe(before)
    sandbox.faults.setBehaviours({outcomeAfterSeconds: 90})
    const later = await pay(sandbox, wallet, ACH, '10')
    expect(later.transactionStatus).toBe('CREATED')
    sandbox.clock.advance(89_999)
    expect((await readTransaction(sandbox, later)).transactionStatus).toBe('PROCESSING')
    sandbox.faults.resetBehaviours()
    sandbox.clock.advance(1)
    expect(await readTransaction(sandbox, later)).toMatchObject({
      transactionStatus: status,
      updatedAt: '2026-11-15T12:01:30Z',
    })
    sandbox.clock.advance(dayMs)
    expect((await readTransaction(sandbox, later)).transactionStatus).toBe(status)
    expect(readUsdcBalance(sandbox, wallet)).toBe(before)
    sandbox.money.verifyLedger()
  })
})

describe('a transaction from a service-managed wallet', () => {
  it('holds the money immediately, and becomes CREATED, PROCESSING and COMPLETED', async () => {
    const sandbox = openTemporary()
    const {wallet, SEPA} = findAccountEnds(sandbox)
    const before = Number(readUsdcBalance(sandbox, wallet))
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
    expect(created).not.toHaveProperty('expiresAt')
    expect(created).not.toHaveProperty('transferInstructions')
    expect(created.source).not.toHaveProperty('sourceReferenceId')
    expect(Number(readUsdcBalance(sandbox, wallet))).toBeCloseTo(before - 100, 6)
    sandbox.clock.advance(2_000)
    const processing = await readTransaction(sandbox, created)
    expect(processing.transactionStatus).toBe('PROCESSING')
    expect(processing.source.sourceReferenceId).toMatch(/^[1-9A-HJ-NP-Za-km-z]{88}$/)
    expect(processing.destination).not.toHaveProperty('destinationReferenceId')
    sandbox.clock.advance(10 * minuteMs)
    const completed = await readTransaction(sandbox, created)
    expect(completed).toMatchObject({transactionStatus: 'COMPLETED', updatedAt: '2026-11-15T12:10:02Z'})
    expect(completed.destination.destinationReferenceId).toMatch(/^SEPA-\d{15}$/)
    expect(Number(readUsdcBalance(sandbox, wallet))).toBeCloseTo(before - 100, 6)
  })

  it('is rejected with INSUFFICIENT_BALANCE if the balance is too small, and nothing changes', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const before = readUsdcBalance(sandbox, wallet) ?? ''
    const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, String(Number(before) + 0.000001)))
    const {error, message, statusCode} = await expectRejection(sandbox, '/transactions', {quoteId})
    expect({error, statusCode}).toEqual({error: 'INSUFFICIENT_BALANCE', statusCode: 422})
    expect(message).toContain('source.sourcePaymentAccountId')
    expect(readUsdcBalance(sandbox, wallet)).toBe(before)
    expect(await pay(sandbox, wallet, ACH, before)).toMatchObject({transactionStatus: 'CREATED'})
    expect(readUsdcBalance(sandbox, wallet)).toBe('0.00')
  })
})

describe('a transaction that awaits an external transfer', () => {
  const rails: readonly (readonly [AccountEndName, number, readonly string[]])[] = [
    ['ACH', 72, ['transferRoutingNumber', 'transferBankAccountNumber', 'transferBankName']],
    [
      'WIRE',
      48,
      [
        'transferRoutingNumber',
        'transferBankAccountNumber',
        'transferBicSwift',
        'transferBankAddress',
        'transferBankName',
      ],
    ],
    ['SEPA', 48, ['transferIban', 'transferBicSwift', 'transferBankName', 'transferBankAddress']],
    ['CA_INTERAC', 24, ['transferPaymentLink']],
    ['IN_NEFT_RTGS_IMPS', 24, ['transferIfscCode', 'transferBankAccountNumber', 'transferBankName']],
  ]

  it.each(rails)('by %s waits %i hours, and has transfer instructions', async (rail, hours, fields) => {
    const sandbox = openTemporary()
    const spots = findAccountEnds(sandbox)
    const {transactionStatus, transferInstructions, expiresAt} = await pay(sandbox, spots[rail], spots.wallet, '1000')
    expect(transactionStatus).toBe('AWAITING_TRANSFER')
    expect(Date.parse(expiresAt ?? '')).toBe(Date.parse('2026-11-15T12:00:00Z') + hours * hourMs)
    expect(Object.keys(transferInstructions ?? {}).toSorted()).toEqual(
      ['type', 'transferPaymentMethod', 'transferMessage', 'transferBankBeneficiaryName', ...fields].toSorted(),
    )
    expect(transferInstructions).toMatchObject({type: 'fiat', transferPaymentMethod: rail})
  })

  it('by a crypto network waits an hour, and has an address', async () => {
    const sandbox = openTemporary()
    const {ownWallet, SEPA} = findAccountEnds(sandbox)
    const {transferInstructions, expiresAt} = await pay(sandbox, ownWallet, SEPA, '100')
    expect(expiresAt).toBe('2026-11-15T13:00:00Z')
    expect(transferInstructions).toMatchObject({
      type: 'crypto',
      transferPaymentMethod: 'SOLANA',
      transferMessage: 'Send exactly 100.00 USDC on SOLANA',
      transferAddress: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{43}$/),
    })
  })

  it('expires at its deadline if nothing arrives, and not before', async () => {
    const sandbox = openTemporary()
    const {WIRE, wallet} = findAccountEnds(sandbox)
    const before = readUsdcBalance(sandbox, wallet)
    const waiting = await pay(sandbox, WIRE, wallet, '100')
    sandbox.clock.advance(2 * dayMs - 1)
    expect(await readTransaction(sandbox, waiting)).toMatchObject({transactionStatus: 'AWAITING_TRANSFER'})
    sandbox.clock.advance(1)
    const expired = await readTransaction(sandbox, waiting)
    expect(expired).toMatchObject({transactionStatus: 'EXPIRED', updatedAt: '2026-11-17T12:00:00Z'})
    expect(expired).not.toHaveProperty('expiresAt')
    expect(() => sandbox.money.fund(WIRE.id, '100')).toThrow(ControlError)
    // The demo customer's other transactions continued meanwhile, but this one moved nothing.
    expect(Number(readUsdcBalance(sandbox, wallet))).toBeLessThanOrEqual(Number(before))
  })

  it('is processed when the exact amount arrives, and its deadline is removed from the queue', async () => {
    const sandbox = openTemporary()
    const {deposits, wallet} = findAccountEnds(sandbox)
    const before = Number(readUsdcBalance(sandbox, wallet))
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
    expect(Number(readUsdcBalance(sandbox, wallet))).toBeCloseTo(before + Number(destination.destinationAmount), 6)
  })
})

describe('the price at which a transaction is completed', () => {
  const completedAfter = async (ms: number, guaranteeQuote: boolean) => {
    const sandbox = openTemporary()
    const {SEPA, wallet} = findAccountEnds(sandbox)
    const opened = await pay(sandbox, SEPA, wallet, '100', {guaranteeQuote})
    sandbox.clock.advance(ms)
    sandbox.money.settle(opened.transactionId, 'completed')
    const {destination} = await readTransaction(sandbox, opened)
    return {quoted: opened.destination, got: destination}
  }

  it('is the quoted one while the quote is valid', async () => {
    const {quoted, got} = await completedAfter(5 * minuteMs - 1, false)
    expect(got).toMatchObject(quoted)
  })

  it('is the current one afterwards', async () => {
    const {quoted, got} = await completedAfter(5 * minuteMs + 1, false)
    expect(got.exchangeRate).not.toBe(quoted.exchangeRate)
    expect(got.destinationAmount).not.toBe(quoted.destinationAmount)
  })

  it('is always the quoted one if it is guaranteed', async () => {
    const {quoted, got} = await completedAfter(dayMs, true)
    expect(got).toMatchObject(quoted)
  })
})

describe('magic amounts', () => {
  it.each([
    ['10.01', 'FAILED'],
    ['10.02', 'CANCELLED'],
    ['10.03', 'COMPLETED'],
    ['10.010000', 'FAILED'],
    ['10.011', 'COMPLETED'],
    ['10.1', 'COMPLETED'],
  ])('from a wallet: %s ends as %s', async (amount, status) => {
    const sandbox = openTemporary()
    const {wallet, ownWallet} = findAccountEnds(sandbox)
    const before = readUsdcBalance(sandbox, wallet)
    const opened = await pay(sandbox, wallet, ownWallet, amount)
    sandbox.clock.advance(hourMs)
    expect((await readTransaction(sandbox, opened)).transactionStatus).toBe(status)
    if (status === 'COMPLETED') expect(readUsdcBalance(sandbox, wallet)).not.toBe(before)
    else expect(readUsdcBalance(sandbox, wallet)).toBe(before)
  })

  it.each([
    ['20.01', 'FAILED'],
    ['20.02', 'CANCELLED'],
    ['20.03', 'EXPIRED'],
    ['20.04', 'COMPLETED'],
    ['20.05', 'PROCESSING'],
    ['20.00', 'AWAITING_TRANSFER'],
  ])('with an external transfer: %s becomes %s by itself', async (amount, status) => {
    const sandbox = openTemporary()
    const {ACH, wallet} = findAccountEnds(sandbox)
    const opened = await pay(sandbox, ACH, wallet, amount)
    expect(opened.transactionStatus).toBe('AWAITING_TRANSFER')
    sandbox.clock.advance(hourMs)
    expect((await readTransaction(sandbox, opened)).transactionStatus).toBe(status)
    sandbox.money.verifyLedger()
  })

  it('can keep a transaction PROCESSING for days, unless its outcome is forced', async () => {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const [one, other] = [await pay(sandbox, wallet, ACH, '10.05'), await pay(sandbox, wallet, ACH, '11.05')]
    sandbox.clock.advance(dayMs)
    expect((await readTransaction(sandbox, one)).transactionStatus).toBe('PROCESSING')
    sandbox.money.settle(one.transactionId, 'failed')
    sandbox.clock.advance(3 * dayMs)
    expect((await readTransaction(sandbox, one)).transactionStatus).toBe('FAILED')
    expect((await readTransaction(sandbox, other)).transactionStatus).toBe('COMPLETED')
  })
})

describe('forcing an outcome', () => {
  type Start = 'CREATED' | 'AWAITING_TRANSFER' | 'PROCESSING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'EXPIRED'
  const possible: Readonly<Record<Start, readonly Settlement[]>> = {
    CREATED: ['completed', 'failed', 'cancelled'],
    AWAITING_TRANSFER: ['completed', 'failed', 'cancelled', 'expired'],
    PROCESSING: ['completed', 'failed', 'cancelled'],
    COMPLETED: [],
    FAILED: [],
    CANCELLED: [],
    EXPIRED: [],
  }
  const all: readonly Settlement[] = ['completed', 'failed', 'cancelled', 'expired']
  const cases = Object.entries(possible).flatMap(([start, allowed]) =>
    all.map((outcome) => [start as Start, outcome, allowed.includes(outcome)] as const),
  )

  async function inState(start: Start) {
    const sandbox = openTemporary()
    const {wallet, ACH} = findAccountEnds(sandbox)
    const isOutside = start === 'AWAITING_TRANSFER' || start === 'EXPIRED'
    const before = readUsdcBalance(sandbox, wallet)
    const opened = await (isOutside ? pay(sandbox, ACH, wallet, '30') : pay(sandbox, wallet, ACH, '30'))
    if (start === 'PROCESSING') sandbox.clock.advance(2_000)
    if (possible[start].length === 0) sandbox.money.settle(opened.transactionId, start.toLowerCase() as Settlement)
    expect((await readTransaction(sandbox, opened)).transactionStatus).toBe(start)
    return {sandbox, opened, wallet, before, isOutside}
  }

  it.each(cases)('%s to %s: %s', async (start, outcome, allowed) => {
    const {sandbox, opened, wallet, before, isOutside} = await inState(start)
    if (!allowed) {
      expect(() => sandbox.money.settle(opened.transactionId, outcome)).toThrow(ControlError)
      expect((await readTransaction(sandbox, opened)).transactionStatus).toBe(start)
      return
    }
    const settled = sandbox.money.settle(opened.transactionId, outcome)
    expect(settled.transactionStatus).toBe(outcome.toUpperCase())
    expect(await readTransaction(sandbox, opened)).toEqual(settled)
    sandbox.money.verifyLedger()
    if (outcome !== 'completed') expect(readUsdcBalance(sandbox, wallet)).toBe(before)
    else expect(Number(readUsdcBalance(sandbox, wallet)) > Number(before)).toBe(isOutside)
    sandbox.clock.advance(hourMs)
    expect(await readTransaction(sandbox, opened)).toEqual(settled)
  })

  it('covers every status of the interface, and rejects an unknown transaction', () => {
    expect(Object.keys(transitions).toSorted()).toEqual(transactionStatuses.toSorted())
    expect(() => openTemporary().money.settle(nobody, 'completed')).toThrow(ControlError)
  })
})

describe('demo transactions', () => {
  it('exist in every status, with the same ids on every machine, and the ledger is valid', async () => {
    const sandbox = openTemporary()
    const transactions = await listAllTransactions(sandbox, {pageSize: 100})
    const states = new Set(transactions.map(({transactionStatus}) => transactionStatus))
    expect([...states].toSorted()).toEqual(transactionStatuses.toSorted())
    const ids = transactions.map(({transactionId}) => transactionId)
    expect((await listAllTransactions(openTemporary({seed: 'y'}))).map(({transactionId}) => transactionId)).toEqual(ids)
    expect(sandbox.money.verifyLedger().entries).toBeGreaterThan(100)
  })
})
