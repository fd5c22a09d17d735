// svc rules create and delete: what a person is shown before anything is sent.
import {describe, expect, it} from 'vitest'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'
import {keys} from '../../support/wizard-keys.ts'
import {bankAch, payroll, rulesIn, sandbox, withPayroll} from './payroll.ts'

useVirtualTime()

const bank = {
  paymentAccountId: bankAch,
  customerId: customerId(1),
  paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
  paymentAccountStatus: 'ACTIVE',
  nickname: 'Rent',
  externalBankAccount: {
    bankName: 'Sahyadri Co-operative Bank',
    bankAccountMask: '****2223',
    bankAccountOwnerName: 'Grace Payee',
    bankAccountCurrency: {label: 'USD'},
    bankAccountPaymentMethod: 'ACH',
  },
}

describe('a person', () => {
  it('sees names, fee and amount before a rule is sent to a live service', async () => {
    const service = await serve(({path: at, method}, response) => {
      if (at.startsWith('/customers/')) return reply(response, 200, customer(1, {name: 'Ada Example'}))
      const isAccounts = at === '/payment-accounts' && method === 'GET'
      return isAccounts ? reply(response, 200, {paymentAccounts: [bank]}) : reply(response, 404, {})
    })
    const screen = onTerminal(freshHome(), ['rules', 'create', ...payroll], {env: service.env})
    await screen.waitFor('live)?')
    for (const line of [
      /│ Customer +Ada Example +│\n/,
      /│ To +Sahyadri Co-operative Bank \*{4}2223, USD by ACH +│\n│ +Grace Payee, “Rent” +│\n│ +\S+ +│\n/,
      /│ Amount +100\.00 USDC each time it fires +│\n│ Fee +the service’s, at the price of each firing +│\n/,
      /│ From +USDC on SOLANA +│\n│ +\S+ \(not in the customer’s list\) +│\n/,
      /│ Arrives +USD, at the price of each firing +│\n/,
    ]) {
      expect(screen.text()).toMatch(line)
    }
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
  })

  it('sees what a rule changes from and to', async () => {
    const {home, rule} = await withPayroll()
    const screen = onTerminal(home, ['rules', 'update', rule.id, '--amount', '7', ...sandbox], {cols: 160})
    await screen.waitFor('(y/N)')
    expect(screen.text()).toMatch(/│ Changes +transactionTemplate\.amount\.value from 100\.00 to 7 +│\n/)
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect((await rulesIn(home))[0]?.transactionTemplate.amount).toEqual({type: 'FLAT', value: '7'})
  })

  it('sees the rule that would be deleted, and deletes it with a yes', async () => {
    const {home, rule} = await withPayroll()
    const screen = onTerminal(home, ['rules', 'delete', rule.id, ...sandbox], {cols: 200})
    await screen.waitFor('Delete the rule “Payroll”?')
    for (const shown of [
      /│ Fires +by itself, at 09:00, Monday through Friday /,
      /│ Customer +Zoë Ångström +│\n/,
      /│ To +Prairie Mutual Bank \*{4}\d{4}, USD by ACH +│\n/,
      /│ Amount +100.00 USDC each time it fires +│\n/,
    ]) {
      expect(screen.text()).toMatch(shown)
    }
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(await rulesIn(home)).toEqual([])
  })
})
