// A list of transactions that never ends, or of which no two reads agree, proves nothing: a run
// ends all the same, and sends nothing.
import {describe, expect, it} from 'vitest'
import {
  type Host,
  briefly,
  countSent,
  createHost,
  createRows,
  pay,
  runPayouts,
} from '../../../features/security/attack.ts'
import {useFleet} from '../../../support/fleet.ts'
import {createRow, writePayroll} from '../../../support/payroll.ts'
import {type PaymentService, servePayments} from '../../../support/scripted-service.ts'
import {run} from '../../../support/svc.ts'

const {getAddress} = useFleet()

// Each page is another one than those before it.
const lists = {
  'has empty pages without end': {size: 0},
  'has full pages without end': {size: 100},
  'is another one in each read': {size: 3, pages: 2},
}

const runs = {
  'svc pay': (host: Host, ...flags: string[]) => pay(host, 'row-1', '1.01', ...flags),
  'svc payouts run': (host: Host, ...flags: string[]) => runPayouts(host, createRows(1), ...flags),
}

// A worker comes back to its rows until its time is up, so that they are still to be paid then.
it.each(Object.keys(lists) as Array<keyof typeof lists>)(
  'a worker whose list %s ends by --timeout, and sends nothing',
  {timeout: 30_000},
  async (list) => {
    const service = await servePayments()
    const {home, env} = createHost(service, {SVC_JOURNAL: getAddress()})
    const payouts = (...args: string[]) => run(home, ['payouts', ...args, '--yes'], {env})
    expect((await payouts('submit', writePayroll(home, [createRow(list.replaceAll(' ', '-'))]))).code).toBe(0)
    changeList(service, lists[list])
    const begunMs = performance.now()
    const {code, err} = await payouts('work', '--until-idle', '--listen', 'off', '--timeout', '1s')
    expect({code, sent: countSent(service)}, err).toEqual({code: 8, sent: 0})
    expect(performance.now() - begunMs).toBeLessThan(15_000)
  },
)

function changeList(service: PaymentService, list: {size: number; pages?: number; hasMatch?: boolean}): void {
  const times = {createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z'}
  let count = 0
  service.present = (answer, {method, path}) => {
    if (`${method} ${path}` !== 'GET /transactions') return answer
    count += 1
    const hasNext = list.pages === undefined || count % list.pages !== 0
    const transactions = Array.from({length: list.size}, (_, index) => ({
      ...times,
      transactionId: `t-${count}-${index}`,
    }))
    if (list.hasMatch && !hasNext) transactions.push(...(service.transactions as typeof transactions))
    return {status: 200, body: {transactions, ...(hasNext && {nextPageToken: `page-${count}`})}}
  }
}

const cells = Object.keys(runs).flatMap((name) =>
  Object.keys(lists).flatMap((list) => [false, true].map((wasSent) => ({name, list, wasSent}))),
) as Array<{name: keyof typeof runs; list: keyof typeof lists; wasSent: boolean}>

describe('a run whose list', () => {
  it.each(cells)(
    '$list: $name ends, and sends nothing (sent before: $wasSent)',
    {timeout: 30_000},
    async ({name, list, wasSent}) => {
      const service = await servePayments()
      const host = createHost(service)
      service.script({acts: 'never', reply: 'reset', times: 1})
      if (wasSent) expect((await runs[name](host, ...briefly)).code).toBe(7)
      changeList(service, lists[list])
      const [sent, begunMs] = [countSent(service), performance.now()]
      // What may have been sent is looked for until --timeout, also where each read ends.
      const flags = wasSent || !('pages' in lists[list]) ? ['--timeout', '1s'] : []
      const {code, err} = await runs[name](host, '--json', ...flags)
      expect({code, sent: countSent(service) - sent}, err).toEqual({code: wasSent ? 7 : 6, sent: 0})
      if (!wasSent && 'pages' in lists[list]) expect(err).toContain('"error":"LIST_CHANGING"')
      expect(performance.now() - begunMs).toBeLessThan(15_000)
    },
  )

  it('has the payment in each of its reads: another host adopts it, although no two reads agree', async () => {
    const service = await servePayments({keys: 'ignored'})
    const [one, other] = [createHost(service), createHost(service)]
    expect((await runs['svc pay'](one)).code).toBe(0)
    changeList(service, {...lists['is another one in each read'], hasMatch: true})
    const {code, err} = await runs['svc pay'](other, '--json')
    expect({code, sent: countSent(service)}, err).toEqual({code: 0, sent: 1})
  })
})
