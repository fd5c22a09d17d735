// One long advance of the clock, whose tasks share transactions, leaves the same database as one step for each task.
import fs from 'node:fs'
import {describe, expect, it} from 'vitest'
import {openSandbox, type Sandbox} from '../../../src/sandbox/sandbox.ts'
import {call, completeKyc, dumpTables, noon, requestTo, temporaryFile} from '../open.ts'
import {type AccountEnd, dayMs, findAccountEnds, pay, quoteBody, requestQuote, zoe} from '../service/money/payments.ts'

const lengthMs = 4 * dayMs

const createTemplate = (from: AccountEnd, to: AccountEnd, amount: object) => {
  const {source, destination} = quoteBody(from, to, '1')
  const {sourceAmount: _, ...rest} = source
  return {source: rest, destination, amount}
}

async function createRule(sandbox: Sandbox, name: string, transactionTemplate: object, trigger: object) {
  const {status} = await call(sandbox, 'POST', '/automation-rules', {
    name,
    customerId: zoe,
    transactionTemplate,
    trigger,
  })
  expect(status).toBe(200)
}

// Rules of both kinds, transactions with every magic amount, a customer under review and a request that is carried out late.
async function prepare(sandbox: Sandbox) {
  const {wallet, ownWallet, ACH, SEPA} = findAccountEnds(sandbox)
  sandbox.webhooks.add({url: 'http://127.0.0.1:9/hook'})
  const flat = {type: 'FLAT', value: '7.01'}
  const daily = {type: 'TIME_BASED', cronSchedule: '0 9 * * *'}
  await createRule(sandbox, 'Daily', createTemplate(wallet, ACH, {type: 'FLAT', value: '12'}), daily)
  await createRule(sandbox, 'Daily, fails', createTemplate(wallet, SEPA, flat), daily)
  const often = {type: 'TIME_BASED', cronSchedule: '30 */4 * * *'}
  await createRule(sandbox, 'Often', createTemplate(wallet, ownWallet, {type: 'PCT', value: '1.5'}), often)
  const threshold = {type: 'THRESHOLD_BASED', thresholdAmount: '3000'}
  await createRule(sandbox, 'Sweep', createTemplate(wallet, ACH, {type: 'PCT', value: '50'}), threshold)
  const never = {type: 'FLAT', value: '900000000'}
  await createRule(sandbox, 'Too much', createTemplate(wallet, ACH, never), daily)
  for (const cents of ['00', '01', '02', '03', '04', '05']) {
    await pay(sandbox, ACH, wallet, `500.${cents}`)
    await pay(sandbox, wallet, SEPA, `20.${cents}`)
  }
  await call(sandbox, 'POST', '/customers', {customerType: 'INDIVIDUAL', email: 'a@example.com', kycData: completeKyc})
  const {quoteId} = await requestQuote(sandbox, quoteBody(wallet, ACH, '33'))
  sandbox.faults.add({method: 'POST', path: '/transactions', kind: 'status', status: 504, commitAfterMs: 90_000})
  const late = requestTo(sandbox, 'POST', '/transactions', {quoteId})
  late.headers.set('x-idempotency-key', 'late')
  expect((await sandbox.fetch(late)).status).toBe(504)
  sandbox.faults.clear()
}

function advanceStepByStep(sandbox: Sandbox) {
  const end = noon.getTime() + lengthMs
  for (;;) {
    const {nextDue} = sandbox.status().queue
    if (nextDue === undefined || Date.parse(nextDue) > end) break
    sandbox.clock.toNext()
  }
  sandbox.clock.advance(end - Date.parse(sandbox.clock.status().now))
}

// The numbers in the queue depend on what else was in it. The order of its tasks does not.
function readDump(file: string) {
  const tables = JSON.parse(dumpTables(file)) as [string, Record<string, unknown>[]][]
  return Object.fromEntries(
    tables.map(([table, rows]) => {
      if (table !== 'queue') return [table, rows]
      const inOrder = rows.toSorted(
        (a, b) => Number(a['due']) - Number(b['due']) || Number(a['seq']) - Number(b['seq']),
      )
      return [table, inOrder.map((row) => ({...row, seq: undefined}))]
    }),
  )
}

function advanceCopy(file: string, advance: (sandbox: Sandbox) => void) {
  const copy = temporaryFile()
  fs.copyFileSync(file, copy)
  const sandbox = openSandbox({file: copy})
  advance(sandbox)
  sandbox.money.verifyLedger()
  sandbox.close()
  return readDump(copy)
}

describe('one advance of the clock', () => {
  it('does the same as a step for each task', async () => {
    const file = temporaryFile()
    const sandbox = openSandbox({file, seed: 'steps', frozenAt: noon})
    await prepare(sandbox)
    sandbox.close()
    const once = advanceCopy(file, ({clock}) => clock.advance(lengthMs))
    expect(once['transactions']?.length).toBeGreaterThan(50)
    expect(once).toEqual(advanceCopy(file, advanceStepByStep))
  })
})
