// Somebody new is paid: the form of a bank account is opened, svc waits for the account, and goes on to the payment that asked.
import {describe, expect, it} from 'vitest'
import {customerId, reply, serve} from '../support/service.ts'
import {type Home, freshHome, json, run} from '../support/svc.ts'
import {type Screen, onPty, onTerminal} from '../support/terminal.ts'
import {seeded} from '../support/transactions.ts'
import {answer, choose, keys, waitForText} from '../support/wizard-keys.ts'
import {readControls, toFormData} from '../sandbox/forms/fill-form.ts'

const sandbox = ['-p', 'sandbox']

const bank = {
  isThirdParty: 'true',
  'externalBankAccount.bankAccountOwnerName': 'Nadia Novak',
  'externalBankAccount.bankAccountOwnerEmail': 'nadia@example.com',
  'externalBankAccount.bankName': 'Lighthouse Bank',
}
const iban = {'externalBankAccount.iban': 'DE89 3704 0044 0532 0130 00', 'externalBankAccount.bicSwift': 'COBADEFFXXX'}
const usNumbers = {
  'externalBankAccount.routingNumber': '021000021',
  'externalBankAccount.bankAccountNumber': '000123456789',
}

// As the payee does in a browser.
async function fillIn(screen: Screen, numbers: Record<string, string>): Promise<void> {
  await waitForText(screen, 'svc waits for it')
  const [, link = ''] = /The form of the bank account:\s+(http:\S+)/.exec(screen.text()) ?? []
  const page = {status: 200, text: await (await fetch(link)).text(), headers: new Headers()}
  const filled = {...readControls(page), ...bank, ...numbers}
  const sent = await fetch(link, {method: 'POST', body: toFormData(filled), redirect: 'manual'})
  expect(sent.status).toBe(303)
}

const createActive = async (home: Home): Promise<string> => {
  const names = ['--first-name', 'Nadia', '--last-name', 'Novak', '--email', 'nadia@example.com']
  const created = await run(home, ['customers', 'create', '--type', 'INDIVIDUAL', ...names, ...sandbox, '--json'])
  const id = String(json(created.out)['customerId'])
  await run(home, ['sandbox', 'verify', id, '--outcome', 'approved'])
  const wallet = ['--type', 'SVC_CRYPTO_WALLET', '--chain', 'BASE', '--balance', '500']
  await run(home, ['sandbox', 'accounts', 'add', '--customer', id, ...wallet])
  return id
}

it('svc pay to somebody without an account offers the form, waits for the account, and goes on to the payment', async () => {
  const home = freshHome()
  const id = await createActive(home)
  const screen = onTerminal(home, ['pay', '--customer', id, '--max-fee', '50%', ...sandbox], {cols: 120})
  await answer(screen, 'From which payment account')
  await answer(screen, 'Currency that leaves the account')
  await choose(screen, 'To which payment account?', 'somebody', 'Somebody new')
  await choose(screen, 'Which kind of bank account does the payee have?', 'SEPA', 'EUR by SEPA')
  await waitForText(screen, 'The form is for an account in EUR by SEPA.')
  await fillIn(screen, iban)
  await waitForText(screen, 'The form was filled in, and the account exists.')
  await waitForText(screen, 'Lighthouse Bank ****3000')
  await answer(screen, 'Amount to pay', '25')
  await answer(screen, 'Guarantee the received amount?')
  await answer(screen, 'Key of this payment:', 'invoice-1')
  await waitForText(screen, 'Pay this, as invoice-1?')
  screen.type('y\r')
  expect(await screen.ended).toBe(0)
  const {out} = await run(home, ['transactions', 'list', '--customer', id, ...sandbox, '--json'])
  const {transactions} = json(out) as {transactions: Array<{destination: {destinationPaymentMethod: string}}>}
  expect(transactions.map(({destination}) => destination.destinationPaymentMethod)).toEqual(['SEPA'])
  // The account of the payee is newer than the wallet, and no likelier to pay.
  const next = onTerminal(home, ['pay', '--customer', id, ...sandbox], {cols: 120})
  await waitForText(next, '❯ Service wallet')
  next.type(keys.stop)
  expect(await next.ended).toBe(130)
})

describe('svc open --bank-account --wait', () => {
  it('says on Ctrl-C that nothing was paid, and how to go on', async () => {
    const args = ['open', seeded.customer, '--bank-account', '--wait', ...sandbox]
    const screen = onPty(freshHome(), args, {cols: 200, env: {DISPLAY: '', WAYLAND_DISPLAY: ''}})
    // The seeded customer has a pending account.
    await screen.waitFor('USD by ACH (a form is waiting)')
    screen.type(keys.enter)
    await screen.waitFor('svc waits for it')
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(screen.text()).toContain('The waiting has stopped, and nothing was paid')
    expect(screen.text()).toMatch(/`svc open \S+ --bank-account --wait -p sandbox` goes on waiting/)
  })

  it('ends with 8 when --timeout runs out, and says how to go on', async () => {
    const args = ['open', seeded.customer, '--bank-account', '--wait', '--timeout', '1s', ...sandbox, '--json']
    const {code, out, err} = await run(freshHome(), args)
    expect({code, out}).toEqual({code: 8, out: ''})
    expect(err).toContain('The form was not filled in within 1 s')
  })

  it('adds a pending account in the sandbox at a terminal, and says elsewhere how one comes to exist', async () => {
    const home = freshHome()
    const id = await createActive(home)
    const screen = onTerminal(home, ['open', id, '--bank-account', '--wait', ...sandbox], {cols: 200})
    await choose(screen, 'Which kind of bank account does the payee have?', 'ACH', 'USD by ACH')
    await fillIn(screen, usNumbers)
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/STATUS +ACTIVE/)
    expect(screen.text()).toMatch(/Next: `svc pay --customer \S+ --to \S+ -p sandbox` pays to it/)
    const service = await serve((_, response) => reply(response, 200, {paymentAccounts: []}))
    const none = await run(home, ['open', customerId(1), '--bank-account'], {env: service.env})
    expect(none.code).toBe(5)
    expect(none.err).toContain('`svc docs pay-somebody-new`')
  })
})
