// svc transactions get: on a terminal, in a pipe, as JSON, and rejected; and how it searches the list.
import {describe, expect, it} from 'vitest'
import {pay} from '../../support/payments.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {seeded, transaction, transactionId} from '../../support/transactions.ts'

const inSandbox = ['-p', 'sandbox']

describe('svc transactions get', () => {
  it('takes the key of a payment, and says where else to look for other words', async () => {
    const home = freshHome()
    const {transactionId: id} = json((await pay(home, 'rent', '10', '--json')).out)
    const get = (...args: string[]) => run(home, ['transactions', 'get', ...args, ...inSandbox])
    expect(json((await get('rent', '--json')).out)).toMatchObject({transactionId: id})
    // The list of the service does not say whether the quote was guaranteed, so neither is said of what is to arrive.
    expect((await get('rent')).out).toMatch(/^TO +[\d.]+ [A-Z]+$/m)
    expect((await pay(home, 'dear', '11', '--max-fee', '0.01')).code).toBe(10)
    expect(await get('dear')).toMatchObject({
      code: 5,
      err: 'svc: The payment dear has no transaction: it is STOPPED. `svc journal show dear -p sandbox` shows why.\n',
    })
    expect((await get('ångström')).err).toContain('or the key of a payment in the journal')
    const screen = onTerminal(home, ['transactions', 'get', 'angstrom', ...inSandbox])
    expect(await screen.ended).toBe(5)
    expect(screen.words()).toContain('"angstrom" matches no transaction')
  })

  it('tells nobody to send money in a status that svc does not know', async () => {
    const transferInstructions = {type: 'fiat', transferPaymentMethod: 'ACH', transferBankName: 'First'}
    const transactions = [transaction(1, 'REFUNDED', {transferInstructions})]
    const service = await serve((_, response) => reply(response, 200, {transactions}))
    const {code, out} = await run(freshHome(), ['transactions', 'get', transactionId(1)], {env: service.env})
    expect(code).toBe(0)
    expect(out).toMatch(
      /TRANSFER INSTRUCTIONS +svc does not know the status REFUNDED: ask the service first whether to send 120\.50 USD by ACH\n +Bank: First\n/,
    )
  })

  it('exits with 5 if it is not in the list, and says what was searched', async () => {
    const get = ['transactions', 'get', transactionId(1), ...inSandbox, '--customer', seeded.customer, '--json']
    const {code, out, err} = await run(freshHome(), get)
    expect({code, out}).toEqual({code: 5, out: ''})
    expect(json(err)).toMatchObject({error: 'NOT_FOUND', exitCode: 5})
    expect(json(err)['message']).toContain(`not among the 8 transactions of customer ${seeded.customer}`)
  })
})
