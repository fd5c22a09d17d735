// The answers of svc rules create are kept until the rule is created.
import {expect, it} from 'vitest'
import {route, rulesIn} from '../../commands/rules/payroll.ts'
import {startWizard} from '../../support/route-answers.ts'
import {freshHome, run} from '../../support/svc.ts'
import {answer, keys, pressKey, waitForText} from '../../support/wizard-keys.ts'

const create = ['rules', 'create']
const keptText = 'Your answers are kept: `svc rules create -p sandbox` offers to go on with them.'

it('are kept after Ctrl-C, offered the next time, and forgotten once the rule is created', async () => {
  const home = freshHome()
  const first = startWizard(home, ...create, ...route, '--amount', '5')
  await answer(first, 'Developer fee:')
  await answer(first, 'Name of the rule:', 'Rent')
  await pressKey(first, 'When does it fire?', keys.stop)
  expect(await first.ended).toBe(130)
  expect(first.words()).toContain(keptText)
  // Flags that say something else are another rule.
  const other = startWizard(home, ...create, ...route, '--amount', '6')
  await pressKey(other, 'Developer fee:', keys.stop)
  expect(await other.ended).toBe(130)
  expect(other.text()).not.toContain('your draft')
  const second = startWizard(home, ...create)
  await waitForText(second, 'Go on: “Rent”')
  second.type(keys.enter)
  await answer(second, 'When does it fire?')
  await answer(second, 'How often?')
  await answer(second, 'At what time, in UTC:')
  await answer(second, 'What now?')
  await answer(second, 'Create the rule “Rent”', 'y')
  expect(await second.ended).toBe(0)
  expect(second.text()).not.toContain('Name of the rule:')
  expect(second.words()).not.toContain('are kept:')
  expect(await rulesIn(home)).toMatchObject([{name: 'Rent', trigger: {cronSchedule: '0 9 * * 1-5'}}])
  const third = startWizard(home, ...create, '--no-draft')
  await pressKey(third, 'Which customer?', keys.stop)
  expect(await third.ended).toBe(130)
  expect(third.text()).not.toContain('your draft')
})

it('are kept by a dry run, and deleted if the person says so after Esc', async () => {
  const home = freshHome()
  const whole = [...route, '--amount', '5', '--developer-fee', '0', '--threshold', '9000']
  const first = startWizard(home, ...create, ...whole, '--dry-run')
  await answer(first, 'Name of the rule:', 'Sweep')
  await answer(first, 'What now?')
  expect(await first.ended).toBe(0)
  expect(first.words()).toContain(keptText)
  const second = startWizard(home, ...create)
  await waitForText(second, 'Go on: “Sweep”')
  second.type(keys.enter)
  await pressKey(second, 'What now?', keys.escape)
  await waitForText(second, 'Stop here?')
  second.type('delete')
  await waitForText(second, '❯ Stop, and delete the answers')
  second.type(keys.enter)
  expect(await second.ended).toBe(130)
  const third = startWizard(home, ...create)
  await pressKey(third, 'Which customer?', keys.stop)
  expect(await third.ended).toBe(130)
  expect(third.text()).not.toContain('your draft')
  expect(await rulesIn(home)).toEqual([])
})

it('are kept if the service rejects the rule, which is said once', async () => {
  const home = freshHome()
  const fault = ['--method', 'POST', '--path', '/automation-rules', '--kind', 'status', '--status', '400']
  expect((await run(home, ['sandbox', 'faults', 'add', ...fault])).code).toBe(0)
  const whole = [...route, '--amount', '5', '--developer-fee', '0', '--threshold', '9000']
  const screen = startWizard(home, ...create, ...whole)
  await answer(screen, 'Name of the rule:', 'Sweep')
  await answer(screen, 'What now?')
  await answer(screen, 'Create the rule “Sweep”', 'y')
  await waitForText(screen, '(400')
  await pressKey(screen, 'What now?', keys.stop)
  expect(await screen.ended).toBe(130)
  expect(screen.words().split(keptText)).toHaveLength(2)
  expect(screen.words()).toContain('Stopped; nothing was created or changed.')
})
