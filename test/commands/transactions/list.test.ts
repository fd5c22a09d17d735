// svc transactions list: on a terminal, in a pipe, as JSON, filtered, and rejected.
import {describe, expect, it} from 'vitest'
import {customerId, reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const list = ['transactions', 'list']
const onSandbox = [...list, '-p', 'sandbox']

describe('svc transactions list', () => {
  it('filters by status, however it is given, and keeps the service’s envelope', async () => {
    const home = freshHome()
    const whole = json((await run(home, [...onSandbox, '--all', '--json'])).out) as {
      transactions: Array<{transactionStatus: string}>
    }
    const wanted = whole.transactions.filter(({transactionStatus}) => /^(FAILED|EXPIRED)$/.test(transactionStatus))
    expect(wanted.length).toBeGreaterThan(0)
    const ways = [
      ['--status', 'failed,EXPIRED'],
      ['--status', 'FAILED', '--status', 'EXPIRED'],
    ]
    for (const flags of ways) {
      const {code, out} = await run(home, [...onSandbox, '--all', '--json', ...flags])
      expect({code, whole: json(out)}).toEqual({code: 0, whole: {transactions: wanted}})
    }
  })

  it('sends the interface’s filters to the service, and keeps its own', async () => {
    const service = await serve((_, response) => reply(response, 200, {transactions: []}))
    const organization = customerId(9)
    const flags = ['--customer', customerId(1), '--account', 'acc/ü 1', '--organization', organization, '--since', '7d']
    const {code, out, err} = await run(freshHome(), [...list, ...flags], {env: service.env})
    expect({code, out, err}).toEqual({code: 0, out: '', err: 'No transactions match.\n'})
    expect(Object.fromEntries(service.requests[0]?.query ?? [])).toEqual({
      pageSize: '100',
      customerId: customerId(1),
      paymentAccountId: 'acc/ü 1',
      organizationId: organization,
    })
  })

  it('searches the names of payees on a terminal, and says in a pipe that it does not', async () => {
    const home = freshHome()
    const screen = onTerminal(home, [...onSandbox, '--search', 'prairie mutual', '--all'], {cols: 160})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/Zoë Ångström, Prairie Mutual/)
    const nobody = onTerminal(home, [...onSandbox, '--search', 'nobody', '--all'])
    expect(await nobody.ended).toBe(0)
    expect(nobody.text()).toMatch(/No transactions match\.\n/)
    const {err} = await run(home, [...onSandbox, '--search', 'prairie mutual', '--all'])
    expect(err).toContain('No transactions match; names of payees are searched only where they are shown.')
  })
})
