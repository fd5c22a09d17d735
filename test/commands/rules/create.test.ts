// svc rules create: on a terminal, in a pipe, as JSON, rejected, confirmed on live, and with lost replies.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {ruleCreate} from '../../../src/contract/rules.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered, configuration, serveRules} from '../../rules/rule-service.ts'
import {bankAch, fault, payroll, route, rulesIn, sandbox, sweep, wallet} from './payroll.ts'
import {keys} from '../../support/wizard-keys.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const create = ['rules', 'create']
const file = JSON.stringify(configuration())

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
  it('asks on a terminal, also in the sandbox, and shows the new rule', async () => {
    const screen = onTerminal(freshHome(), [...create, ...sandbox, ...payroll])
    await screen.waitFor('Create the rule “Payroll”')
    screen.type('y\r')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/^ID +rule_\w+\nNAME +Payroll\nTRIGGER +0 9/m)
  })

  it('prints a record in a pipe, and nothing with --quiet', async () => {
    const home = freshHome()
    const plain = await run(home, [...create, ...sandbox, ...sweep])
    expect(plain).toMatchObject({code: 0, err: ''})
    expect(plain.out).toMatch(/AMOUNT +25 %\n/)
    expect(await run(home, [...create, ...sandbox, ...payroll, '--quiet'])).toEqual({code: 0, out: '', err: ''})
    expect(await rulesIn(home)).toHaveLength(2)
  })

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

  it('warns of other equal rules, since they also pay', async () => {
    const service = await serveRules({rules: [answered('rule-1'), answered('rule-2')]})
    const {code, err} = await run(freshHome(), [...create, '-f', '-', '--yes'], {env: service.env, input: file})
    expect(code).toBe(0)
    expect(err).toContain('Warning: rule-2 is equal to it and will also pay.')
    expect(service.writes).toEqual([])
  })

  it('names every missing flag at once, and sends nothing', async () => {
    const service = await serveRules()
    const {code, out, err} = await run(freshHome(), [...create, '--to', 'bank-1', '--developer-fee-type', 'USD'], {
      env: service.env,
    })
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toBe(
      'svc: Missing --name, --customer, --from, --amount or --percent, --cron or --threshold, --developer-fee. See `svc rules create --help`.\n',
    )
    expect(service.requests).toEqual([])
  })

  it.each([
    [['--amount', '0.00', '--cron', '0 9 * * *'], 'amount.value should be more than 0'],
    [['--amount', '1e3', '--cron', '0 9 * * *'], '--amount "1e3" is not a decimal number'],
    [['--amount', '5', '--percent', '5', '--cron', '0 9 * * *'], '--percent'],
    [['--amount', '5', '--cron', '0 9 * * *', '--threshold', '5'], '--threshold'],
    [['--amount', '5', '--cron', '0 9 30 2 *'], 'never fires'],
  ])('rejects %j without sending it', async (flags, message) => {
    const service = await serveRules()
    const all = [...create, '--name', 'Payroll', ...route, ...flags, '--yes']
    const {code, out, err} = await run(freshHome(), all, {env: service.env})
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(message)
    expect(service.requests).toEqual([])
  })

  it('rejects a customer id that is not a UUID', async () => {
    const {code, err} = await run(freshHome(), [...create, ...sandbox, '--customer', 'acme'])
    expect(code).toBe(2)
    expect(err).toContain('--customer "acme" is not a UUID')
  })

  it('lists all problems at once', async () => {
    const wrong = ['--percent', '101', '--cron', '0 9 31 2 *', '--set', 'a=b', '--json']
    const {code, err} = await run(freshHome(), [...create, ...sandbox, '--name', 'Payroll', ...route, ...wrong])
    expect(code).toBe(2)
    expect(json(err)['problems']).toHaveLength(3)
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

  it('shows the request with --dry-run, and sends nothing', async () => {
    const service = await serveRules()
    const {code, out} = await run(freshHome(), [...create, '-f', '-', '--dry-run'], {env: service.env, input: file})
    expect({code, out: json(out)}).toEqual({
      code: 0,
      out: {method: 'POST', path: '/automation-rules', body: configuration()},
    })
    expect(service.requests).toEqual([])
  })

  it('shows the rule and asks on live, and sends nothing after a no', async () => {
    const service = await serveRules()
    const words = [
      '--name',
      'Payroll',
      '--customer',
      customerId(1),
      ...route.slice(2),
      '--percent',
      '5',
      '--cron',
      '0 9 * * *',
    ]
    const screen = onTerminal(freshHome(), [...create, ...words], {env: service.env, cols: 200})
    await screen.waitFor('(the environment, live)?')
    expect(screen.text()).toMatch(/^┌─ Create a rule on \S+ \(the environment, live\) ─+┐\n/)
    const lines = [
      /│ Rule +Payroll +│\n/,
      /│ Fires +by itself, at 09:00 \(0 9 \* \* \*, UTC\) +│\n/,
      new RegExp(`│ From +USDC on SOLANA +│\\n│ +${wallet} +│\\n`),
      new RegExp(`│ To +USD by ACH +│\\n│ +${bankAch} `),
      /│ Amount +5 % of the USDC balance each time it fires +│\n/,
      /│ Fee +the service’s, at the price of each firing +│\n/,
      /│ Arrives +USD, at the price of each firing +│\n/,
    ]
    for (const line of lines) expect(screen.text()).toMatch(line)
    screen.type('n\r')
    expect(await screen.ended).toBe(130)
    expect(service.requests.map(({method}) => method)).not.toContain('POST')
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

  it('requires --yes from a script on live', async () => {
    const service = await serveRules()
    const {code, err} = await run(freshHome(), [...create, '-f', '-'], {env: service.env, input: file})
    expect(code).toBe(2)
    expect(err).toContain('--yes')
    expect(service.requests).toEqual([])
  })

  it('creates one rule although the reply was lost, and says what happened', async () => {
    const home = freshHome()
    await fault(home, 'POST', 'lose')
    const {code, out, err} = await run(home, [...create, ...sandbox, ...payroll, '--json'])
    const [rule, ...others] = await rulesIn(home)
    expect({code, others, made: json(out)['id']}).toEqual({code: 0, others: [], made: rule?.id})
    expect(err).toBe(`The reply was lost; checking what the service has.\nThe rule was created: it is ${rule?.id}.\n`)
  })

  it('exits with 7 if the request was lost, and creates one rule when run again', async () => {
    const home = freshHome()
    await fault(home, 'POST', 'reset')
    const lost = await run(home, [...create, ...sandbox, ...payroll, '--json', '--quiet'])
    expect({code: lost.code, out: lost.out}).toEqual({code: 7, out: ''})
    expect(json(lost.err)).toMatchObject({error: 'OUTCOME_UNKNOWN', exitCode: 7})
    expect(json(lost.err)['hint']).toContain('it looks for the rule first')
    await run(home, ['sandbox', 'faults', 'clear'])
    expect(await run(home, [...create, ...sandbox, ...payroll, '--quiet'])).toMatchObject({code: 0})
    expect(await rulesIn(home)).toHaveLength(1)
  })

  it('passes on what the service rejects', async () => {
    const other = payroll.map((word) => (word === 'SOLANA' ? 'BASE' : word))
    const {code, out, err} = await run(freshHome(), [...create, ...sandbox, ...other])
    expect({code, out}).toEqual({code: 3, out: ''})
    expect(err).toContain('BAD_REQUEST')
  })
})
