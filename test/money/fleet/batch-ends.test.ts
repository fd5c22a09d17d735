// The code of a worker that ends, by the state of the batches and by how it ended, and the same
// code of every status of a batch.
import {expect, it} from 'vitest'
import {toPaymentText} from '../../../src/payments/journal/payment-text.ts'
import {toNewPayment} from '../../../src/payments/journal/tables.ts'
import {digestContent} from '../../../src/payments/protocol/compare.ts'
import type {PayoutRow} from '../../../src/payouts/file/rows.ts'
import {useFleet} from '../../support/fleet.ts'
import {createRow, writePayroll} from '../../support/payroll.ts'
import {runSql} from '../../support/postgres.ts'
import {refusal, servePayments} from '../../support/scripted-service.ts'
import {json, run} from '../../support/svc.ts'
import {enterState} from '../../support/recorded.ts'

const fleet = useFleet()
const sql = (...statements: string[]) => runSql(fleet.getAddress(), ...statements)

// What a batch of one row is brought to before the worker starts, and the code of its status then.
const states = {
  waiting: {code: 8, statements: () => []},
  pausedByPerson: {code: 8, statements: ({id}) => [`update svc.batches set state = 'PAUSED' where id = '${id}'`]},
  refused: {
    code: 10,
    statements: ({id}) => [`update svc.batches set state = 'PAUSED', refusal = 'NOT_APPROVED' where id = '${id}'`],
  },
  rejected: {
    code: 9,
    statements: ({id}) => [`update svc.batch_rows set heard = '{"state": "REJECTED"}' where batch_id = '${id}'`],
  },
  unknown: {
    code: 7,
    statements: ({serviceId, row: {key, content}}) => {
      const intended = {...toNewPayment({serviceId, key, content}), createdAt: 1, updatedAt: 1}
      const payment = enterState(intended, 'UNKNOWN')
      return [
        `insert into svc.payments (service_id, key, state, currency, amount, destination, created_at, updated_at, payment,
          content_digest) values ('${serviceId}', '${key}', 'UNKNOWN', 'USDC', '1', 'd', 1, 1, '${toPaymentText(payment)}',
          '${digestContent(content)}')`,
      ]
    },
  },
} satisfies Record<
  string,
  {code: number; statements: (batch: {id: string; serviceId: string; row: PayoutRow}) => string[]}
>

type State = keyof typeof states

const rules: Array<{batches: State[]; ends: 'when idle' | 'by --timeout'; code: number}> = [
  {batches: [], ends: 'when idle', code: 0},
  {batches: ['waiting', 'waiting'], ends: 'when idle', code: 0},
  {batches: ['waiting', 'pausedByPerson'], ends: 'when idle', code: 8},
  {batches: ['pausedByPerson', 'refused'], ends: 'when idle', code: 10},
  {batches: ['refused', 'rejected'], ends: 'when idle', code: 9},
  {batches: ['rejected', 'unknown'], ends: 'when idle', code: 7},
  {batches: [], ends: 'by --timeout', code: 0},
  {batches: ['waiting'], ends: 'by --timeout', code: 8},
  {batches: ['waiting', 'refused'], ends: 'by --timeout', code: 10},
  {batches: ['waiting', 'rejected'], ends: 'by --timeout', code: 9},
  {batches: ['waiting', 'unknown'], ends: 'by --timeout', code: 7},
]

it.each(rules)('with batches $batches, a worker that ends $ends ends with $code', async ({batches, ends, code}) => {
  const [home, service] = [fleet.freshHost(), await servePayments()]
  const svc = (...args: string[]) => run(home, ['payouts', ...args], {env: service.env})
  for (const [index, state] of batches.entries()) {
    const file = writePayroll(home, [createRow(`${home.folder}-${index}`, {amount: `${index + 2}`})], `${index}.csv`)
    const id = String(json((await svc('submit', file, '--yes', '--json')).out)['id'])
    const [found] = await sql(`select "row" from svc.batch_rows where batch_id = '${id}'`)
    const batch = {id, serviceId: service.url, row: found?.['row'] as PayoutRow}
    await sql(...states[state].statements(batch))
    for (const flags of [[], ['--rows'], ['--out', 'out.csv']]) {
      expect([state, flags, (await svc('status', id, ...flags)).code]).toEqual([state, flags, states[state].code])
    }
  }
  // A service that keeps failing leaves rows to be paid when the time is up.
  const isCutShort = ends === 'by --timeout'
  if (isCutShort) service.script({at: 'POST /quotes', times: 99, reply: refusal(503, 'UNAVAILABLE', 'later')})
  const limit = isCutShort ? ['--timeout', '300ms'] : []
  const worked = await svc('work', '--until-idle', '--yes', '--listen', 'off', ...limit)
  expect([worked.code, worked.err]).toEqual([code, expect.anything()])
})
