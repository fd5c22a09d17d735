// A transaction is found by the key of its payment, or by its payee.
import {describe, expect, it} from 'vitest'
import {readBadEnding} from '../../../src/contract/loose.ts'
import {transactionStatuses} from '../../../src/contract/transactions.ts'
import {pay} from '../../support/payments.ts'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {transaction, transactionId} from '../../support/transactions.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

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
  })

  it('is found in the list by the name of a payee, which is shown on a terminal', async () => {
    const home = freshHome()
    const search = (text: string) =>
      onTerminal(home, [...'transactions list --all --search'.split(' '), text, ...inSandbox])
    for (const [text, shown] of [
      ['prairie mutual', /Zoë/],
      ['nobody', /No transactions match\.\n/],
    ] as const) {
      const screen = search(text)
      expect(await screen.ended).toBe(0)
      expect(screen.text()).toMatch(shown)
    }
  })
})

describe('--timeout', () => {
  const time = useVirtualTime()

  it.each<[where: string, end: (args: string[], env: Record<string, string>) => Promise<number | null>]>([
    ['in a pipe', async (args, env) => (await run(freshHome(), args, {env})).code],
    ['at a terminal', (args, env) => onTerminal(freshHome(), args, {env}).ended],
  ])('counts for the whole command, the names of payees included: %s', async (_, end) => {
    const service = await serve(({path}, response) => {
      if (path === '/transactions') time.advance(4_000)
      reply(response, 200, {transactions: [{transactionId: customerId(7), customerId: customerId(1)}], customers: []})
    })
    const list = ['transactions', 'list', '--columns', 'id,payee', '--timeout', '3s']
    expect(await end(list, service.env)).toBe(0)
    expect(service.requests.map(({path}) => path)).toEqual(['/transactions'])
  })
})

describe('svc transactions', () => {
  it.each(transactionStatuses)(
    'says of one that is %s what arrives, and of one that ended badly that nothing did',
    async (status) => {
      const service = await serve((_, response) => reply(response, 200, {transactions: [transaction(1, status)]}))
      const show = (...args: string[]) => run(freshHome(), ['transactions', ...args], {env: service.env})
      const words = readBadEnding({transactionStatus: status}) ? 'none of 119.50 USDC' : ' 119.50 USDC'
      for (const args of [['list'], ['get', transactionId(1)]]) {
        const {code, out, err} = await show(...args)
        expect([code, err]).toEqual([0, ''])
        expect(out).toContain(words)
      }
      // Programs read the amount of the service.
      const {out} = await show('list', '--columns', 'destinationAmount', '-o', 'csv')
      expect(out.trim().split(/\r?\n/)).toEqual(['destinationAmount', '119.50'])
    },
  )
})
