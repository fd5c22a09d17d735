// svc accounts get: on a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const bank = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'
const deposits = 'e6a40001-01ec-40ff-9fe2-092716aa0519'
const get = (id: string) => ['accounts', 'get', id, '--customer', zoe]
const onSandbox = (id: string) => [...get(id), '-p', 'sandbox']

describe('svc accounts get', () => {
  it('shows a bank account as a record on a terminal', async () => {
    const screen = onTerminal(freshHome(), onSandbox(bank))
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${bank}\n`))
    expect(screen.text()).toMatch(/\nBANK +Prairie Mutual Bank\nACCOUNT NUMBER +\*{4}2169\n/)
    expect(screen.text()).toMatch(/\nOWNER +Zoë Ångström\n/)
    expect(screen.text()).not.toContain('{')
  })

  it('shows in a pipe which currencies a deposit account pays out', async () => {
    const {code, out, err} = await run(freshHome(), onSandbox(deposits))
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/PAYS OUT +USDC on ARBITRUM, BASE, ETHEREUM, OPTIMISM, POLYGON, SOLANA\n/)
  })

  it('prints the service’s own object as JSON', async () => {
    const {out} = await run(freshHome(), [...onSandbox(bank), '--json'])
    expect(json(out)).toMatchObject({paymentAccountId: bank, externalBankAccount: {bankAccountMask: '****2169'}})
  })

  it('reads the list until it finds the account, and no further', async () => {
    const service = await serve(({query}, response) => {
      const page = Number(query.get('pageToken') ?? 1)
      reply(response, 200, {paymentAccounts: [{paymentAccountId: `acc_${page}`}], nextPageToken: String(page + 1)})
    })
    const {out} = await run(freshHome(), [...get('acc_3'), '--json'], {env: service.env})
    expect(json(out)).toEqual({paymentAccountId: 'acc_3'})
    expect(service.requests.map(({query}) => query.get('pageToken'))).toEqual([null, '2', '3'])
  })

  it('exits with 5 if the customer has no such account, and names no others', async () => {
    const {code, out, err} = await run(freshHome(), [...onSandbox('acc_1'), '--json'])
    expect({code, out}).toEqual({code: 5, out: ''})
    expect(json(err)).toMatchObject({error: 'NOT_FOUND', exitCode: 5})
    expect(err).not.toContain('Ångström')
  })

  it.each([
    [get(''), 'The id of the payment account is empty'],
    [['accounts', 'get', bank], 'Missing --customer'],
    [['accounts', 'get'], 'Missing ID'],
  ])('rejects %j before anything is sent', async (args, message) => {
    const service = await serve((_, response) => reply(response, 200, {paymentAccounts: [{paymentAccountId: ''}]}))
    const {code, out, err} = await run(freshHome(), args, {env: service.env})
    expect({code, out, asked: service.requests}).toEqual({code: 2, out: '', asked: []})
    expect(err).toContain(message)
  })
})
