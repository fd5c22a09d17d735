// How automation rules use money: balances, and a quote with its transaction in one step.
import {behavioursDefault} from '../../../../src/sandbox/service/faults/behaviours.ts'
import {describe, expect, it} from 'vitest'
import {findAccountRow} from '../../../../src/sandbox/service/money/accounts.ts'
import {readWalletBalance, transactByRule} from '../../../../src/sandbox/service/rules/firing.ts'
import {openSandbox} from '../../../../src/sandbox/sandbox.ts'
import {openDatabase} from '../../../../src/sandbox/store/database.ts'
import {noon, openTemporary, temporaryFile} from '../../open.ts'
import {listAllTransactions, readUsdcBalance, type AccountEnd, findAccountEnds, zoe} from './payments.ts'

function openWithWallet() {
  const file = temporaryFile()
  openSandbox({file, frozenAt: noon}).close()
  const sandbox = openTemporary({file})
  const {wallet, ACH} = findAccountEnds(sandbox)
  const database = openDatabase(file, () => {})
  const turn = {database, formsUrl: '', behaviours: behavioursDefault, now: noon.getTime()}
  const order = (amount: string, to: AccountEnd = ACH) => ({
    ruleId: 'rule_7',
    customerId: zoe,
    template: {
      source: {
        sourcePaymentAccountId: wallet.id,
        sourcePaymentMethod: wallet.method as 'BASE',
        sourceCurrency: wallet.currency,
      },
      destination: {
        destinationPaymentAccountId: to.id,
        destinationPaymentMethod: to.method as 'ACH',
        destinationCurrency: to.currency,
      },
    },
    amount,
  })
  return {sandbox, wallet, database, turn, order}
}

describe('a transaction of a rule', () => {
  it('is created in one step, with the rule id as its correlationId', async () => {
    const {sandbox, wallet, database, turn, order} = openWithWallet()
    const before = Number(readUsdcBalance(sandbox, wallet))
    const made = database.transact(() => transactByRule(turn, order('25')))
    const found = (await listAllTransactions(sandbox, {customerId: zoe})).find(
      ({correlationId}) => correlationId === 'rule_7',
    )
    expect(made).toEqual({transactionId: found?.transactionId})
    expect(found).toMatchObject({transactionStatus: 'CREATED', source: {sourceAmount: '25.00'}})
    expect(Number(readWalletBalance(database, wallet.id, 'USDC'))).toBeCloseTo(before - 25, 6)
    database.close()
  })

  it('is rejected with a reason, and nothing is written', () => {
    const {sandbox, wallet, database, turn, order} = openWithWallet()
    const before = readUsdcBalance(sandbox, wallet)
    const refused = (amount: string, to?: AccountEnd) =>
      database.transact(() => transactByRule(turn, order(amount, to)))
    expect(refused('999999')).toEqual({rejection: expect.stringContaining('holds')})
    expect(refused('0')).toEqual({rejection: expect.stringContaining('source.sourceAmount')})
    expect(refused('1', {id: 'nowhere', method: 'ACH', currency: 'USD'})).toEqual({
      rejection: expect.stringContaining('nowhere'),
    })
    expect(readUsdcBalance(sandbox, wallet)).toBe(before)
    expect(database.one('select count(*) as count from quotes')).toEqual({count: 65})
    database.close()
  })

  it('finds accounts by id in upper or lower case', () => {
    const {wallet, database} = openWithWallet()
    expect(findAccountRow(database, wallet.id.toUpperCase())).toMatchObject({
      accountId: wallet.id,
      customerId: zoe,
      paymentAccountType: 'SVC_CRYPTO_WALLET',
      paymentAccountStatus: 'ACTIVE',
      method: 'SOLANA',
      currency: null,
    })
    expect(findAccountRow(database, 'nowhere')).toBeUndefined()
    expect(readWalletBalance(database, wallet.id.toUpperCase(), 'USDC')).toBe('2666.50')
    database.close()
  })
})
