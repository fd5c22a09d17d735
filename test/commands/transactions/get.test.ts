// svc transactions get: on a terminal, in a pipe, as JSON, and rejected; and how it searches the list.
import {describe, expect, it} from 'vitest'
import {pay} from '../../support/payments.ts'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {readRemainingRaw, onTerminal} from '../../support/terminal.ts'
import {seeded, transaction, transactionId} from '../../support/transactions.ts'

const inSandbox = ['-p', 'sandbox']

describe('svc transactions get', () => {
  it('takes the key of a payment, and says where else to look for other words', async () => {
    const home = freshHome()
    const {transactionId: id} = json((await pay(home, 'rent', '10', '--json')).out)
    const get = (...args: string[]) => run(home, ['transactions', 'get', ...args, ...inSandbox])
    expect(json((await get('rent', '--json')).out)).toMatchObject({transactionId: id})
    expect((await pay(home, 'dear', '11', '--max-fee', '0.01')).code).toBe(10)
    expect(await get('dear')).toMatchObject({
      code: 5,
      err: 'svc: The payment dear has no transaction: it is STOPPED. `svc journal show dear -p sandbox` shows why.\n',
    })
    expect((await get('ångström')).err).toContain('or the key of a payment in the journal')
    const screen = onTerminal(home, ['transactions', 'get', 'angstrom', ...inSandbox])
    expect(await screen.ended).toBe(5)
    expect(screen.words()).toContain('--customer angstrom -p sandbox`')
  })

  it('shows a record on a terminal, with the transfer instructions', async () => {
    const screen = onTerminal(freshHome(), ['transactions', 'get', seeded.awaiting, ...inSandbox])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${seeded.awaiting}\n`))
    expect(screen.text()).toMatch(/FROM +120\.00 USD\n/)
    expect(screen.text()).toMatch(
      /TRANSFER INSTRUCTIONS +Send 120\.00 USD by ACH until \d{4}-\d\d-\d\d \d\d:\d\d UTC\n +Pay to \(beneficiary\): /,
    )
    expect(screen.text()).toMatch(
      /Account number: \d+\n +Routing number \(ABA\): \d+\n +Reference \(must be given\): SVC\w+\n/,
    )
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

  it('is the same in a pipe, and the service’s own object as JSON', async () => {
    const home = freshHome()
    const get = ['transactions', 'get', seeded.processing.toUpperCase(), ...inSandbox]
    const [plain, asJson] = [await run(home, get), await run(home, [...get, '--json'])]
    expect(plain).toMatchObject({code: 0, err: ''})
    expect(plain.out).toMatch(/STATUS +PROCESSING\n/)
    expect(plain.out).not.toContain('\u001b')
    expect(json(asJson.out)).toMatchObject({transactionId: seeded.processing, transactionStatus: 'PROCESSING'})
  })

  it('has separate columns for amounts and currencies in CSV', async () => {
    const columns = 'id,sourceAmount,sourceCurrency,fees'
    const get = ['transactions', 'get', seeded.awaiting, ...inSandbox, '-o', 'csv', '--columns', columns]
    expect((await run(freshHome(), get)).out).toBe(
      `transactionId,sourceAmount,sourceCurrency,fees\n${seeded.awaiting},120.00,USD,0.85 USD\n`,
    )
  })

  it('searches the list in the largest pages, no further than needed, within the given scope', async () => {
    const service = await serve(({query}, response) => {
      const page = Number(query.get('pageToken') ?? 1)
      reply(response, 200, {transactions: [transaction(page)], nextPageToken: String(page + 1)})
    })
    const flags = ['--customer', customerId(7), '--account', 'account_9', '--json']
    const {code, out} = await run(freshHome(), ['transactions', 'get', transactionId(3), ...flags], {env: service.env})
    expect(code).toBe(0)
    expect(json(out)).toEqual(transaction(3))
    expect(service.requests.map(({query}) => Object.fromEntries(query))).toEqual(
      [undefined, '2', '3'].map((pageToken) => ({
        customerId: customerId(7),
        paymentAccountId: 'account_9',
        pageSize: '100',
        ...(pageToken && {pageToken}),
      })),
    )
  })

  it('shows progress on a terminal if the search takes long, and removes it afterwards', async () => {
    const service = await serve(({query}, response) => {
      const page = Number(query.get('pageToken') ?? 1)
      setTimeout(() => reply(response, 200, {transactions: [transaction(page)], nextPageToken: String(page + 1)}), 450)
    })
    const screen = onTerminal(freshHome(), ['transactions', 'get', transactionId(5)], {env: service.env})
    await screen.waitFor('3 transactions searched…')
    expect(await screen.ended).toBe(0)
    expect(readRemainingRaw(screen)).not.toContain('searched')
  })

  it('exits with 5 if it is not in the list, and says what was searched', async () => {
    const get = ['transactions', 'get', transactionId(1), ...inSandbox, '--customer', seeded.customer, '--json']
    const {code, out, err} = await run(freshHome(), get)
    expect({code, out}).toEqual({code: 5, out: ''})
    expect(json(err)).toMatchObject({error: 'NOT_FOUND', exitCode: 5})
    expect(json(err)['message']).toContain(`not among the 8 transactions of customer ${seeded.customer}`)
  })

  it('rejects invalid ids before anything is sent', async () => {
    const service = await serve((_, response) => reply(response, 200, {transactions: []}))
    const get = async (...args: string[]) =>
      (await run(freshHome(), ['transactions', 'get', ...args], {env: service.env})).code
    expect([await get('tx_1'), await get(transactionId(1), '--customer', 'cus_1'), await get()]).toEqual([2, 2, 2])
    expect(service.requests).toEqual([])
  })

  it('shows times with an offset in UTC, and keeps them as they are in JSON', async () => {
    const times = {
      createdAt: '2026-11-17T01:59:18+09:00',
      updatedAt: '2026-11-16T12:30:00.5-0530',
      expiresAt: '2026-11-18T01:59:18+09',
    }
    const transferInstructions = {type: 'fiat', transferPaymentMethod: 'ACH'}
    const paid = transaction(1, 'AWAITING_TRANSFER', {...times, transferInstructions})
    const service = await serve((_, response) => reply(response, 200, {transactions: [paid]}))
    const get = (...flags: string[]) =>
      run(freshHome(), ['transactions', 'get', transactionId(1), ...flags], {env: service.env})
    const {out} = await get()
    expect(out).toMatch(/CREATED \(UTC\) +2026-11-16 16:59\n/)
    expect(out).toMatch(/UPDATED \(UTC\) +2026-11-16 18:00\n/)
    expect(out).toMatch(/ by ACH until 2026-11-17 16:59 UTC\n/)
    expect(json((await get('--json')).out)).toMatchObject(times)
  })

  it('shows a transaction that breaks the contract', async () => {
    const odd = {
      transactionId: transactionId(1),
      transactionStatus: 7,
      source: null,
      destination: 'none',
      fees: {svcFee: {feeAmount: 'free'}},
      transferInstructions: {
        type: 'carrier pigeon',
        dovecote: {street: 'Quay 1'},
        transferIban: 'DE75512108001245126199',
      },
      expiresAt: 3,
    }
    const service = await serve((_, response) => reply(response, 200, {transactions: [odd]}))
    const {code, out} = await run(freshHome(), ['transactions', 'get', transactionId(1)], {env: service.env})
    expect(code).toBe(0)
    expect(out).toMatch(
      /TRANSFER INSTRUCTIONS +Send\n +IBAN: DE75 5121 0800 1245 1261 99\n +dovecote: \{"street":"Quay 1"\}\n/,
    )
  })
})
