// The wizard of svc rules create, driven by keys.
import {describe, expect, it} from 'vitest'
import {customer, route, rulesIn} from '../../commands/rules/payroll.ts'
import {answer, choose, keys, waitForText, pressKey} from '../../support/wizard-keys.ts'
import {customer as invented, reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
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

describe('the wizard of svc rules create', () => {
  it('creates a rule with a preset schedule, after showing a summary and the next firings', async () => {
    const home = freshHome()
    const screen = startWizard(home, ...create)
    await answerRoute(screen)
    await answer(screen, 'How much does it move each time?')
    await answer(screen, 'Amount', '100.00')
    await answer(screen, 'Developer fee:')
    await answer(screen, 'Name of the rule:', 'Payroll')
    await answer(screen, 'When does it fire?')
    await answer(screen, 'How often?')
    await answer(screen, 'At what time, in UTC:', `${keys.clear}17:30`)
    await waitForText(
      screen,
      '“Payroll”, for Zoë Ångström At 17:30, Monday through Friday (30 17 * * 1-5, UTC), moves 100.00 USDC on SOLANA',
    )
    await waitForText(screen, 'It fires next:')
    await answer(screen, 'What now?')
    await answer(screen, 'Create the rule “Payroll”', 'y')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/NAME +Payroll\n/)
    expect(await rulesIn(home)).toMatchObject([{name: 'Payroll', trigger: {cronSchedule: '30 17 * * 1-5'}}])
    expect(listScreenLines(screen).filter((line) => line.length > 80)).toEqual([])
  })

  it('accepts a cron expression, and shows the next firings', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...create, ...sandbox, ...route, '--percent', '5', '--dry-run'])
    await answer(screen, 'Developer fee:', '1')
    await choose(screen, 'In which currency is the fee?', keys.down, 'USD')
    await answer(screen, 'Name of the rule:', 'Sweep')
    await answer(screen, 'When does it fire?')
    await choose(screen, 'How often?', keys.down.repeat(4), 'Another schedule, as a cron expression')
    await waitForText(screen, '? Cron expression:')
    screen.type('0 9 * *\r')
    await waitForText(screen, 'It is not a cron expression of five fields')
    screen.type(' 1\r')
    await waitForText(screen, '09:00 UTC Mon')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const fee = ['--developer-fee', '1', '--developer-fee-type', 'USD']
    const flags = [...create, ...route, '--percent', '5', '--name', 'Sweep', '--cron', '0 9 * * 1', ...fee]
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, flags))
  })

  it('goes back within the schedule question and out of it, and offers the previous choice', async () => {
    const home = freshHome()
    const rest = ['--name', 'Rent', '--amount', '5', '--developer-fee', '0', '--dry-run']
    const screen = startWizard(home, ...create, ...route, ...rest)
    await answer(screen, 'When does it fire?')
    await choose(screen, 'How often?', keys.down.repeat(2), 'Every Monday')
    await pressKey(screen, 'At what time, in UTC:', keys.back)
    await choose(screen, 'How often?', keys.down, 'Every month, on its first day')
    await waitForText(screen, '? At what time, in UTC:')
    screen.type(`${keys.clear}25\r`)
    await waitForText(screen, 'It must be a time')
    screen.type(`${keys.clear}7:15\r`)
    await choose(screen, 'What now?', keys.down, 'Change an answer')
    await choose(screen, 'Which answer?', keys.down, 'Schedule')
    await answer(screen, 'How often?')
    await waitForText(screen, '? At what time, in UTC: 07:15')
    screen.type(`${keys.clear}8\r`)
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    const flags = [...create, ...route, '--name', 'Rent', '--amount', '5', '--cron', '0 8 1 * *']
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, flags))
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
})
