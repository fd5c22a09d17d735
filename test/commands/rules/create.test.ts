// svc rules create: on a terminal, in a pipe, as JSON, rejected, confirmed on live, and with lost replies.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, configuration, serveRules} from '../../rules/rule-service.ts'
import {bankAch, payroll, rulesIn, sandbox, wallet} from './payroll.ts'
import {keys} from '../../support/wizard-keys.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const create = ['rules', 'create']

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

describe('svc rules create', () => {
  it('prints the service’s own object as JSON, with the fee in the source currency by default', async () => {
    const {code, out} = await run(freshHome(), [...create, ...sandbox, ...payroll, '--developer-fee', '2.5', '--json'])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({
      name: 'Payroll',
      transactionTemplate: {
        amount: {type: 'FLAT', value: '100.00'},
        source: {sourcePaymentAccountId: wallet, sourceCurrency: {label: 'USDC'}},
        developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '2.5'},
      },
      trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1-5'},
    })
  })

  it('takes from the accounts what they decide, and lists what they leave open', async () => {
    const home = freshHome()
    const isDetail = (word: string | undefined) => word !== undefined && /^--(from|to)-(currency|method)$/.test(word)
    const short = payroll.filter((word, index) => !isDetail(word) && !isDetail(payroll[index - 1]))
    const open = await run(home, [...create, ...sandbox, ...short])
    expect(open).toMatchObject({code: 2, out: ''})
    expect(open.err).toContain('--from-currency is needed: Service wallet')
    expect(await rulesIn(home)).toEqual([])
    const made = await run(home, [...create, ...sandbox, ...short, '--from-currency', 'USDC', '--json'])
    expect(made).toMatchObject({code: 0, err: ''})
    const whole = await run(home, [...create, ...sandbox, ...payroll, '--json'])
    expect(json(whole.out)['id']).toBe(json(made.out)['id'])
  })

  it('adopts an equal rule, whatever its spelling, and says so', async () => {
    const home = freshHome()
    const first = await run(home, [...create, ...sandbox, ...payroll, '--json'])
    const again = payroll.map((word) => ({'100.00': '100', '0 9 * * 1-5': '0  9 * * 1-5'})[word] ?? word)
    const second = await run(home, [...create, ...sandbox, ...again, '--developer-fee', '0', '--json'])
    expect({...second, err: ''}).toEqual({...first, err: ''})
    expect(second.err).toMatch(/^An equal rule already exists, rule_\w+; nothing was created\.\n$/)
    expect(await rulesIn(home)).toHaveLength(1)
  })

  it('accepts a printed rule as a file, with flags and --set on top', async () => {
    const service = await serveRules({rules: [answered('rule-1')]})
    const home = freshHome()
    const printed = await run(home, ['rules', 'get', 'rule-1', '-o', 'yaml', '--quiet'], {env: service.env})
    const edited = printed.out
      .replace(/^ *(riskTier|memo|rounding|paused):.*\n/gm, '')
      .replace('"100.000000"', '0250.10')
    fs.writeFileSync(path.join(home.folder, 'rule.yaml'), edited)
    const more = ['--threshold', '500', '--set', 'name=0123', '--yes']
    const {code} = await run(home, [...create, '-f', 'rule.yaml', ...more], {env: service.env})
    expect(code).toBe(0)
    const body: unknown = JSON.parse(service.writes[0]?.body ?? '')
    expect(ruleCreate.parse(body)).toEqual({
      ...configuration({name: '0123'}),
      transactionTemplate: {...configuration().transactionTemplate, amount: {type: 'FLAT', value: '0250.10'}},
      trigger: {type: 'THRESHOLD_BASED', thresholdAmount: '500'},
    })
  })

  it('shows a person names, fee and amount before it is sent', async () => {
    const service = await serve(({path: at, method}, response) => {
      if (at.startsWith('/customers/')) return reply(response, 200, customer(1, {name: 'Ada Example'}))
      const isAccounts = at === '/payment-accounts' && method === 'GET'
      return isAccounts ? reply(response, 200, {paymentAccounts: [bank]}) : reply(response, 404, {})
    })
    const screen = onTerminal(freshHome(), [...create, ...payroll], {env: service.env})
    await screen.waitFor('live)?')
    const lines = [
      /│ Customer +Ada Example +│\n/,
      /│ To +Sahyadri Co-operative Bank \*{4}2223, USD by ACH +│\n│ +Grace Payee, “Rent” +│\n│ +\S+ +│\n/,
      /│ Amount +100\.00 USDC each time it fires +│\n│ Fee +the service’s, at the price of each firing +│\n/,
      /│ From +USDC on SOLANA +│\n│ +\S+ \(not in the customer’s list\) +│\n/,
      /│ Arrives +USD, at the price of each firing +│\n/,
    ]
    for (const line of lines) expect(screen.text()).toMatch(line)
    screen.type(keys.stop)
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('svc: Stopped; nothing was changed.')
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
  })
})
