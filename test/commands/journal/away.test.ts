// The database of the journal as commands find it: away once a payment was recorded.
import {expect, it} from 'vitest'
import {payment} from '../../support/payments.ts'
import {usePostgres} from '../../support/postgres.ts'
import {PostgresProxy} from '../../support/postgres-proxy.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {freshHome, json, run} from '../../support/svc.ts'

const getAddress = usePostgres()

it('A payment that was recorded is told as made, also if the database is away from then on', async () => {
  const [home, service, proxy] = [freshHome(), await servePayments(), await PostgresProxy.start(getAddress())]
  const env = {...service.env, SVC_JOURNAL: proxy.address}
  expect((await run(home, ['journal', 'init'], {env})).code).toBe(0)
  let isAway = false
  proxy.plan(
    'cutBefore',
    (sql) => (isAway ||= service.transactions.length > 0 && /^select.*from svc\.history/s.test(sql)),
    Infinity,
  )
  const {code, out, err} = await run(home, [...payment('rent', '10'), '--yes', '--json', '--timeout', '2s'], {env})
  expect([code, err]).toEqual([0, err])
  expect(json(out)).toMatchObject({transactionId: service.transactions[0]?.['transactionId']})
})
