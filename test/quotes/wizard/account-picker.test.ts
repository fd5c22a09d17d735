// The account picker of quotes, payments and rules, by keys: typing finds the account, and Enter takes what is highlighted.
import {describe, expect, it} from 'vitest'
import {freshHome} from '../../support/svc.ts'
import {readShownRequest, startWizard} from '../../support/route-answers.ts'
import {seeded} from '../../support/transactions.ts'
import {answer, keys, waitForText} from '../../support/wizard-keys.ts'

const payer = ['--customer', seeded.customer, '--from', seeded.wallet, '--from-currency', 'USDC']
const start = (...flags: string[]) => startWizard(freshHome(), 'quotes', 'create', ...payer, '--dry-run', ...flags)

const finish = async (screen: ReturnType<typeof start>) => {
  await answer(screen, 'Amount to pay, in USDC:', '5')
  await answer(screen, 'Developer fee:')
  await answer(screen, 'Guarantee the received amount?')
  expect(await screen.ended).toBe(0)
  return readShownRequest(screen).body as {destination: Record<string, string>}
}

describe('the account picker', () => {
  it('says that typing filters, and finds a bank by its name in any case', async () => {
    const screen = start()
    await waitForText(screen, '? To which payment account? (type to filter)')
    screen.type('prairie')
    await waitForText(screen, '? To which payment account? prairie ❯ Bank account')
    await waitForText(screen, '1 of')
    screen.type(keys.enter)
    const {destination} = await finish(screen)
    expect(destination).toMatchObject({destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'})
  })

  it('finds an account by its id or by the code of its method, also typed in one go', async () => {
    const screen = start()
    await waitForText(screen, '? To which payment account?')
    screen.type(`ca_interac${keys.clear}${seeded.externalWallet}${keys.enter}`)
    const {destination} = await finish(screen)
    expect(destination['destinationPaymentAccountId']).toBe(seeded.externalWallet)
  })

  it('takes nothing while nothing matches', async () => {
    const screen = start()
    await waitForText(screen, '? To which payment account?')
    screen.type(`lagos${keys.enter}${keys.enter}`)
    await waitForText(screen, 'Nothing matches; Ctrl-U clears what was typed')
    expect(screen.text()).not.toContain('✔ To which payment account?')
    screen.type(keys.escape)
    expect(await screen.ended).toBe(130)
  })

  it('lists accounts that do not fit the given currency last, and does not take them', async () => {
    const screen = start('--to-currency', 'EUR')
    await waitForText(screen, '? To which payment account? (type to filter) ❯ Bank account “Bank account, SEPA”')
    await waitForText(screen, 'Not for this currency or method: - External wallet')
    screen.type(`prairie${keys.enter}`)
    await waitForText(screen, 'This one cannot be chosen: it does not take the currency or the method that was given')
    screen.type(keys.clear + keys.enter)
    const {destination} = await finish(screen)
    expect(destination).toMatchObject({destinationPaymentMethod: 'SEPA', destinationCurrency: 'EUR'})
  })
})
