// The notice when svc is stopped during a write: that the write may have happened, and how to check.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {startSvc} from '../support/running.ts'
import {type Service, customerId, reply, serve} from '../support/service.ts'
import {freshHome, json} from '../support/svc.ts'

const rule = {
  id: 'rule/ödd id?1',
  name: 'Weekly',
  customerId: customerId(1),
  transactionTemplate: {
    source: {sourcePaymentAccountId: 'w1', sourcePaymentMethod: 'BASE', sourceCurrency: {label: 'USDC', chain: 'BASE'}},
    destination: {
      destinationPaymentAccountId: 'b1',
      destinationPaymentMethod: 'ACH',
      destinationCurrency: {label: 'USD'},
    },
    amount: {type: 'FLAT', value: '10'},
  },
  trigger: {type: 'TIME_BASED', cronSchedule: '0 9 * * 1'},
  createdAt: '2026-11-01T12:00:00Z',
}

// Answers every read and no write.
const silentOnWrites = () =>
  serve(({method, path: requested}, response) => {
    if (method !== 'GET') return
    if (requested === '/automation-rules') return reply(response, 200, {automationRules: []})
    reply(response, 200, requested === '/customers' ? {customers: []} : rule)
  })

async function stopDuringWrite(service: Service, args: readonly string[], signal: NodeJS.Signals, body?: unknown) {
  const home = freshHome()
  if (body) fs.writeFileSync(path.join(home.folder, 'body.json'), JSON.stringify(body))
  const running = startSvc(home, args, service.env)
  while (!service.requests.some(({method}) => method !== 'GET')) await new Promise((resolve) => setTimeout(resolve, 20))
  running.stop(signal)
  return running.ended
}

const newCustomer = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com']

const writes: ReadonlyArray<readonly [what: string, args: readonly string[], body: unknown, hint: RegExp]> = [
  ['customers create', newCustomer, undefined, /POST \/customers .*svc customers list --all/],
  ['rules create', ['rules', 'create', '-f', 'body.json', '--yes'], rule, /POST \/automation-rules .*svc rules list/],
  [
    'rules update',
    ['rules', 'update', rule.id, '--amount', '20', '--yes'],
    undefined,
    /PUT \/automation-rules\/\S+ .*`svc rules get 'rule\/ödd id\?1'`/,
  ],
]

describe('svc, stopped during a write', () => {
  it.each(writes)('says that %s may have happened, and how to check', async (_, args, body, hint) => {
    const {code, out, err} = await stopDuringWrite(await silentOnWrites(), args, 'SIGINT', body)
    expect({code, out}).toEqual({code: 130, out: ''})
    expect(err).toMatch(/^Stopped while [^\n]+ was under way: it may or may not have happened\. [^\n]+\.\n$/)
    expect(err).toMatch(hint)
  })

  it('prints JSON with --json, with the exit code of the signal', async () => {
    const {code, out, err} = await stopDuringWrite(await silentOnWrites(), [...newCustomer, '--json'], 'SIGTERM')
    expect({code, out}).toEqual({code: 143, out: ''})
    expect(json(err)).toEqual({
      error: 'TERMINATED',
      message: 'Stopped while POST /customers was under way: it may or may not have happened.',
      hint: 'Look for the email in `svc customers list --all` before you create the customer again.',
      exitCode: 143,
    })
  })

  it.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const)('by %s prints nothing about a read, and ends with %i', async (signal, code) => {
    const service = await serve(() => {})
    const running = startSvc(freshHome(), ['customers', 'list'], service.env)
    while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    running.stop(signal)
    expect(await running.ended).toEqual({code, out: '', err: ''})
  })
})
