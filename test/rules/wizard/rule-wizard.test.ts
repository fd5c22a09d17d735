// The wizards of svc rules create and svc rules update, driven by keys.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {bankSepa, customer, route, rulesIn, withPayroll} from '../../commands/rules/payroll.ts'
import {answer, choose, keys, waitForText, pressKey} from '../../support/wizard-keys.ts'
import {customer as invented, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answered} from '../rule-service.ts'
import {
  customerQuestion,
  listScreenLines,
  buildRequestFromFlags,
  readShownRequest,
  sandbox,
  startWizard,
  answerRoute,
} from '../../support/route-answers.ts'

const create = ['rules', 'create']
const update = ['rules', 'update']
const toSepa = ['--to', bankSepa, '--to-currency', 'EUR', '--to-method', 'SEPA']
const sepaRoute = [...route.slice(0, route.indexOf('--to')), ...toSepa]

describe('the wizard of svc rules create', () => {
  it('creates a rule with a preset schedule, after showing a summary and the next firings', async () => {
    const home = freshHome()
    const screen = startWizard(home, ...create)
    await answerRoute(screen)
    await answer(screen, 'How much does it move each time?')
    await waitForText(screen, 'the wallet has 2666.50 USDC')
    screen.type('100.00\r')
    await answer(screen, 'Developer fee:')
    await answer(screen, 'Name of the rule:', 'Payroll')
    await answer(screen, 'When does it fire?')
    await answer(screen, 'How often?')
    await waitForText(screen, 'Every weekday at 09:00 UTC')
    screen.type(`${keys.clear}17:30`)
    await waitForText(screen, 'Every weekday at 17:30 UTC')
    screen.type(keys.enter)
    await waitForText(screen, '“Payroll”, for Zoë Ångström Every weekday at 17:30 UTC, moves 100.00 USDC on SOLANA')
    await waitForText(screen, 'It fires next:')
    await waitForText(screen, '? What now? (type to filter) ❯ Create this rule')
    screen.type(keys.enter)
    await answer(screen, 'Create the rule “Payroll”', 'y')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/NAME +Payroll\n/)
    expect(await rulesIn(home)).toMatchObject([{name: 'Payroll', trigger: {cronSchedule: '30 17 * * 1-5'}}])
    expect(listScreenLines(screen).filter((line) => line.length > 80)).toEqual([])
  })

  it('accepts a cron expression, and explains it with the next firings in UTC and local time', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...create, ...sandbox, ...route, '--percent', '5', '--dry-run'], {
      env: {TZ: 'Asia/Kolkata'},
    })
    await answer(screen, 'Developer fee:', '1')
    await choose(screen, 'In which currency is the fee?', keys.down, 'USD')
    await answer(screen, 'Name of the rule:', 'Sweep')
    await answer(screen, 'When does it fire?')
    await choose(screen, 'How often?', keys.down.repeat(6), 'Another schedule, as a cron expression')
    await waitForText(screen, '? Cron expression:')
    screen.type('0 9 * *')
    await waitForText(screen, 'It is not a cron expression of five fields')
    screen.type(' 1')
    await waitForText(screen, 'Every Monday at 09:00 UTC')
    await waitForText(screen, '09:00 UTC Mon')
    await waitForText(screen, '14:30 +05:30')
    screen.type(keys.enter)
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const fee = ['--developer-fee', '1', '--developer-fee-type', 'USD']
    const flags = [...create, ...route, '--percent', '5', '--name', 'Sweep', '--cron', '0 9 * * 1', ...fee]
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, flags))
  })

  it('compares a threshold with the balance, and lets the person change an answer', async () => {
    const home = freshHome()
    const screen = startWizard(home, ...create, ...sepaRoute, '--name', 'Sweep', '--dry-run')
    await choose(screen, 'How much does it move each time?', keys.down, 'A percentage of the balance')
    await waitForText(screen, '? Percentage of the balance:')
    screen.type('101')
    await waitForText(screen, 'It must be a percentage from 0 to 100')
    screen.type(`${keys.clear}50\r`)
    await answer(screen, 'Developer fee:')
    await choose(screen, 'When does it fire?', keys.down, 'When the balance reaches an amount')
    await waitForText(screen, '? Balance at which it fires, in USDC:')
    screen.type('3000')
    await waitForText(screen, 'The wallet has 2666.50 USDC: the rule fires after 333.50 USDC more')
    screen.type(keys.enter)
    await choose(screen, 'What now?', keys.down, 'Change an answer')
    await choose(screen, 'Which answer?', keys.down.repeat(4), 'Balance at which it fires, in USDC')
    await waitForText(screen, '? Balance at which it fires, in USDC:')
    screen.type(`${keys.clear}2000\r`)
    await waitForText(screen, 'the rule fires at once')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const flags = [...create, ...sepaRoute, '--name', 'Sweep', '--percent', '50', '--threshold', '2000']
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, flags))
  })

  it('goes back within the schedule question and out of it, and offers the previous choice', async () => {
    const home = freshHome()
    const rest = ['--name', 'Rent', '--amount', '5', '--developer-fee', '0', '--dry-run']
    const screen = startWizard(home, ...create, ...route, ...rest)
    await answer(screen, 'When does it fire?')
    await choose(screen, 'How often?', keys.down.repeat(2), 'Every week, on one day')
    await choose(screen, 'On which day?', keys.down.repeat(6), 'Sunday')
    await pressKey(screen, 'At what time, in UTC:', keys.back)
    await pressKey(screen, 'On which day?', keys.back)
    await choose(screen, 'How often?', keys.down.repeat(2), 'Every month, on another day')
    await waitForText(screen, '? On which day of the month:')
    screen.type('31')
    await waitForText(screen, 'It must be a day from 1 to 28')
    screen.type(`${keys.clear}15\r`)
    await answer(screen, 'At what time, in UTC:')
    await choose(screen, 'What now?', keys.down, 'Change an answer')
    await choose(screen, 'Which answer?', keys.down, 'Schedule')
    await answer(screen, 'How often?')
    await waitForText(screen, '? On which day of the month: 15')
    screen.type(keys.enter)
    await answer(screen, 'At what time, in UTC:', `${keys.clear}8`)
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const flags = [...create, ...route, '--name', 'Rent', '--amount', '5', '--cron', '0 8 15 * *']
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, flags))
  })

  it('saves the answers to a file that -f accepts, and asks for the rest', async () => {
    const home = freshHome()
    const screen = startWizard(home, ...create, ...route, '--amount', '5', '--developer-fee', '0')
    await answer(screen, 'Name of the rule:', 'Kept')
    await pressKey(screen, 'When does it fire?', keys.save)
    await answer(screen, 'Save as:', `${keys.clear}rule.yaml`)
    await pressKey(screen, 'When does it fire?', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(await rulesIn(home)).toEqual([])
    expect(fs.statSync(path.join(home.folder, 'rule.yaml')).mode & 0o777).toBe(0o600)
    const rest = startWizard(home, ...create, '-f', 'rule.yaml', '--threshold', '9000', '--dry-run')
    expect(await rest.ended).toBe(0)
    const flags = [...create, ...route, '--amount', '5', '--name', 'Kept', '--threshold', '9000']
    expect(readShownRequest(rest)).toEqual(await buildRequestFromFlags(home, flags))
  })

  it('offers only service wallets as sources, and exits with 2 if there is none', async () => {
    const bank = {
      paymentAccountId: 'bank-1',
      paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
      paymentAccountStatus: 'ACTIVE',
      externalBankAccount: {bankAccountCurrency: {label: 'USD'}, bankAccountPaymentMethod: 'ACH'},
    }
    const service = await serve(({path: asked}, response) =>
      reply(response, 200, asked === '/customers' ? {customers: [invented(1)]} : {paymentAccounts: [bank]}),
    )
    const screen = onTerminal(freshHome(), create, {env: service.env})
    await answer(screen, customerQuestion)
    await waitForText(
      screen,
      'Customer 1 has no service-managed crypto wallet that could pay. Accounts come about at the service',
    )
    await pressKey(screen, customerQuestion, keys.stop)
    expect(await screen.ended).toBe(130)
    const given = onTerminal(freshHome(), [...create, '--customer', customer], {env: service.env})
    expect(await given.ended).toBe(2)
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
  })

  it('rejects wrong flags before it asks anything', async () => {
    const screen = startWizard(freshHome(), ...create, '--percent', '101', '--set', 'shoeSize=7')
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain('percentage from 0 to 100')
    expect(screen.text()).toContain('shoeSize is not a field')
    expect(screen.text()).not.toContain('is required')
  })

  it('does not start in a script: exits with 2 and names every missing flag', async () => {
    const {code, out, err} = await run(freshHome(), [...create, ...sandbox, '--customer', customer])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('--name, --from, --to')
  })
})

describe('the wizard of svc rules update', () => {
  it('asks only for fields that can change, shows old and new values, and changes them', async () => {
    const {home, rule} = await withPayroll(['--developer-fee', '1'])
    const screen = startWizard(home, ...update, rule.id)
    await waitForText(screen, 'Every weekday at 09:00 UTC, moves 100.00 USDC')
    await answer(screen, 'Pay to another account?', 'y')
    await choose(screen, 'To which payment account?', keys.up.repeat(2), 'Bank account “Bank account, SEPA”')
    await answer(screen, 'Change the amount of 100.00 USDC?')
    await answer(screen, 'Change the developer fee of 1 USDC?', 'y')
    await answer(screen, 'Developer fee:', `${keys.clear}0`)
    await waitForText(screen, 'ACH')
    await waitForText(screen, '→ Bank account “Bank account, SEPA”')
    await waitForText(screen, 'Developer fee: 1 USDC → none')
    await answer(screen, 'What now?')
    await answer(screen, 'Change the rule “Payroll”', 'y')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).not.toMatch(/\? (Name|When|From)/)
    const [changed] = await rulesIn(home)
    expect(changed).toMatchObject({id: rule.id, trigger: rule.trigger})
    expect(changed?.transactionTemplate.destination['destinationPaymentAccountId']).toBe(bankSepa)
    expect(changed?.transactionTemplate).not.toHaveProperty('developerFee')
  })

  it('builds the same PUT as the flags, without a change that was withdrawn', async () => {
    const {home, rule} = await withPayroll()
    const screen = startWizard(home, ...update, rule.id, '--dry-run')
    await answer(screen, 'Pay to another account?', 'y')
    await choose(screen, 'To which payment account?', keys.up, 'Bank account “Bank account, WIRE”')
    await answer(screen, 'Change the amount of 100.00 USDC?', 'y')
    await choose(screen, 'How much does it move each time?', keys.down, 'A percentage of the balance')
    await answer(screen, 'Percentage of the balance:', '12.5')
    await answer(screen, 'Add a developer fee?')
    await choose(screen, 'What now?', keys.down, 'Change an answer')
    await answer(screen, 'Which answer?')
    await answer(screen, 'Pay to another account?', 'n')
    await waitForText(screen, 'Amount: 100.00 USDC → 12.5 %')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(readShownRequest(screen)).toEqual(
      await buildRequestFromFlags(home, [...update, rule.id, '--percent', '12.5']),
    )
  })

  it('changes nothing if it is cancelled', async () => {
    const {home, rule} = await withPayroll()
    const screen = startWizard(home, ...update, rule.id)
    await answer(screen, 'Pay to another account?')
    await pressKey(screen, 'Change the amount of 100.00 USDC?', keys.escape)
    expect(await screen.ended).toBe(130)
    expect(await rulesIn(home)).toEqual([rule])
  })

  it('shows a rule of any service, and offers no other account if there is none', async () => {
    const service = await serve(({path: asked}, response) =>
      reply(response, 200, asked === '/payment-accounts' ? {paymentAccounts: []} : answered('rule-1')),
    )
    const screen = onTerminal(freshHome(), [...update, 'rule-1'], {env: service.env})
    await waitForText(screen, 'To: bank-1 ACH USD')
    await pressKey(screen, 'Change the amount of 100', keys.stop)
    expect(await screen.ended).toBe(130)
    expect(screen.text()).not.toContain('Pay to another account?')
    expect(service.requests.every(({method}) => method === 'GET')).toBe(true)
  })

  it('lists the fields that may be lost, before the person agrees', async () => {
    const service = await serve(({path: asked}, response) =>
      reply(response, 200, asked === '/payment-accounts' ? {paymentAccounts: []} : answered('rule-1')),
    )
    const screen = onTerminal(freshHome(), [...update, 'rule-1', '--dry-run'], {env: service.env})
    await answer(screen, 'Change the amount of 100', 'y')
    await answer(screen, 'How much does it move each time?')
    await answer(screen, 'Amount', `${keys.clear}7`)
    await answer(screen, 'Add a developer fee?')
    await waitForText(screen, 'These may be lost: riskTier, transactionTemplate.memo')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    expect(screen.text().match(/may be lost/g)).toHaveLength(1)
  })

  it('does not start in a script: exits with 2 and names what can be changed', async () => {
    const {code, err} = await run(freshHome(), [...update, 'rule-1', ...sandbox])
    expect(code).toBe(2)
    expect(err).toContain('--to, --to-currency, --to-method, --amount, --percent')
  })
})
