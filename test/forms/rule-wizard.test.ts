// The wizard of svc rules create, driven by keys.
import {describe, expect, it} from 'vitest'
import {existing} from '../features/rules/samples.ts'
import {route} from '../support/payments.ts'
import {answer, choose, keys, pressKey, waitForText} from '../support/wizard-keys.ts'
import {freshHome} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {
  listScreenLines,
  buildRequestFromFlags,
  readShownRequest,
  sandbox,
  startWizard,
  answerRoute,
} from '../support/route-answers.ts'

const create = ['rules', 'create']

describe('the wizard of svc rules create', () => {
  it('creates a rule with a preset schedule, after showing it with its next firings', async () => {
    const home = freshHome()
    const screen = startWizard(home, ...create)
    await answerRoute(screen)
    await answer(screen, 'How much does it move each time?')
    await waitForText(screen, '? Amount')
    screen.type('0.0000001\r')
    await waitForText(screen, 'It has more decimals than USDC has, which is 6')
    screen.type(keys.clear)
    await answer(screen, 'Amount', '100.00')
    await answer(screen, 'Name of the rule:', 'Payroll')
    await answer(screen, 'When does it fire?')
    await answer(screen, 'Schedule')
    await waitForText(screen, 'Fires     by itself, at 09:00, Monday through Friday (0 9 * * 1-5, UTC)')
    await waitForText(screen, '09:00 UTC')
    await pressKey(screen, 'Create the rule “Payroll”', keys.back)
    await answer(screen, 'What now?')
    await answer(screen, 'Create the rule “Payroll”', 'y')
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/NAME +Payroll\n/)
    expect(await existing(home)).toMatchObject([{name: 'Payroll', trigger: {cronSchedule: '0 9 * * 1-5'}}])
    expect(listScreenLines(screen).filter((line) => line.length > 80)).toEqual([])
  })

  it('accepts a cron expression', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...create, ...sandbox, ...route, '--percent', '5', '--dry-run'])
    await answer(screen, 'Name of the rule:', 'Sweep')
    await answer(screen, 'When does it fire?')
    await choose(screen, 'Schedule', keys.down.repeat(4), 'other (type it)')
    await waitForText(screen, '? Schedule:')
    screen.type('0 9 * *\r')
    await waitForText(screen, 'It must be a cron expression of five fields')
    screen.type(' 1\r')
    expect(await screen.ended).toBe(0)
    const flags = [...create, ...route, '--percent', '5', '--name', 'Sweep', '--cron', '0 9 * * 1']
    expect(readShownRequest(screen)).toEqual(await buildRequestFromFlags(home, flags))
  })
})
