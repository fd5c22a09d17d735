// Many hosts append to the chains of one journal at once, and none of them breaks a link.
import {expect, it, onTestFinished} from 'vitest'
import {verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import {openSqliteJournal, withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {copyJournal} from '../../../src/payments/journal/copy-journal.ts'
import {openPostgresJournal} from '../../../src/payments/journal/postgres/open-postgres-journal.ts'
import type {Journal} from '../../../src/payments/journal/journal.ts'
import {createDatabase, runSql, usePostgres} from '../../support/postgres.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {prepareDatabase} from '../stores/stores.ts'
import {fillJournal, serviceId} from './chained-journal.ts'
import {lease} from '../../support/lease.ts'

const getAddress = usePostgres(prepareDatabase)

const verify = (text: string) => withChainReader({text}, (reader) => verifyJournal(reader))

const content = {
  customerId: 'c',
  source: {sourcePaymentAccountId: 'f', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '5'},
  destination: {destinationPaymentAccountId: 't', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
} as const

// One payment with a few commits, each checked in its transaction or not, beside decisions.
async function pay(journal: Journal, key: string): Promise<void> {
  const acquired = await lease(journal, {serviceId, key, content})
  let {payment} = acquired
  for (const round of [1, 2, 3, 4]) {
    const check = round % 2 === 0 ? {judge: () => {}} : undefined
    payment = await journal.commit(acquired.lease, {...payment, note: String(round)}, {what: 'X'}, check)
  }
  await journal.recordDecision({kind: 'TEST', about: {profile: 'acme'}, who: {user: 'ann', host: 'till'}})
}

it('keeps every chain whole while four hosts write two hundred payments', async () => {
  const hosts = await Promise.all([1, 2, 3, 4].map(() => openPostgresJournal({text: getAddress()})))
  onTestFinished(async () => void (await Promise.all(hosts.map((host) => host.close()))))
  await Promise.all(hosts.flatMap((host, index) => Array.from({length: 50}, (_, n) => pay(host, `p-${index}-${n}`))))
  const result = await verify(getAddress())
  expect(result.finding).toBeUndefined()
  expect(result).toMatchObject({payments: 200, entries: 200 * 6, decisions: 200})
  const [used] = await runSql(getAddress(), 'select count(*)::int as count from svc.chains where number > 0')
  expect(used?.['count']).toBeGreaterThan(50)
})

// A file with payments, and a database into which it can be copied.
async function prepareCopy() {
  const {address, drop} = await createDatabase()
  onTestFinished(drop)
  await prepareDatabase(address)
  const file = `${temporaryFolder()}/journal.sqlite`
  const source = openSqliteJournal(file)
  await fillJournal(source)
  await source.close()
  return {address, file}
}

it('keeps the chain of a file that is copied, and goes on behind it', async () => {
  const {address, file} = await prepareCopy()
  const before = await verify(file)
  const copied = await copyJournal(file, {text: address})
  expect(copied).toMatchObject({payments: 5, historyLines: before.entries})
  const after = await verify(address)
  expect(after.finding).toBeUndefined()
  expect(after).toMatchObject({entries: before.entries, decisions: 5, payments: 5})
  expect(after.heads[0]).toEqual(before.heads[0])
  const target = await openPostgresJournal({text: address})
  onTestFinished(() => target.close())
  await pay(target, 'key-0-0')
  expect((await verify(address)).finding).toBeUndefined()
  // A head of the file still holds for the copy.
  const given = await withChainReader({text: address}, (reader) => verifyJournal(reader, before.heads))
  expect(given.finding).toBeUndefined()
})

it('refuses to copy a journal whose chain is broken', async () => {
  const {address, file} = await prepareCopy()
  const {DatabaseSync} = await import('node:sqlite')
  new DatabaseSync(file).exec("update history set detail = '{}' where number = 4")
  await expect(copyJournal(file, {text: address})).rejects.toMatchObject({
    kind: 'finding',
    message: expect.stringContaining('Entry 4'),
  })
  expect((await verify(address)).entries).toBe(0)
})
