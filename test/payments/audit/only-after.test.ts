// Verifies what was written after a head alone: what it reads, and what it finds.
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import {verifyJournal} from '../../../src/payments/audit/verify-journal.ts'
import type {ChainHead, ChainReader} from '../../../src/payments/journal/chain.ts'
import {openJournal, withChainReader} from '../../../src/payments/journal/open-journal.ts'
import {type Journal, describeThisProcess} from '../../../src/payments/journal/journal.ts'
import {usePostgres} from '../../support/postgres.ts'
import {temporaryFolder} from '../../support/svc.ts'
import {clearJournal, prepareDatabase} from '../journal/stores.ts'
import {fillJournal, serviceId} from './chained-journal.ts'

const getAddress = usePostgres(prepareDatabase)

const content = {
  customerId: 'c',
  source: {sourcePaymentAccountId: 'f', sourceCurrency: 'USDC', sourcePaymentMethod: 'SOLANA', sourceAmount: '5'},
  destination: {destinationPaymentAccountId: 't', destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
} as const

async function addPayment(journal: Journal, key: string): Promise<void> {
  await journal.findOrCreate({serviceId, key, content})
  const acquired = await journal.acquireLease(serviceId, key, describeThisProcess())
  if (!('lease' in acquired)) throw new Error('the lease is held')
  await journal.commit(acquired.lease, {...acquired.payment, state: 'QUOTED'}, {what: 'QUOTED'})
  await journal.releaseLease(acquired.lease)
}

const stores = [
  ['a file', async () => path.join(temporaryFolder(), 'journal.sqlite')],
  [
    'PostgreSQL',
    async () => {
      await clearJournal(getAddress())
      return getAddress()
    },
  ],
] as const

// Fills a journal, remembers its head, and adds two payments.
async function prepare(createStore: () => Promise<string>) {
  const address = {text: await createStore()}
  const journal = await openJournal(address)
  await fillJournal(journal)
  const head = await withChainReader(address, (reader) => reader.readHeads())
  await addPayment(journal, 'later-1')
  await addPayment(journal, 'later-2')
  await journal.close()
  return {address, head}
}

const verifyAfter = (address: {text: string}, head: readonly ChainHead[], watch = (reader: ChainReader) => reader) =>
  withChainReader(address, (reader) => verifyJournal(watch(reader), {starts: head}))

describe.each(stores)('what was written after a head, in %s', (_, createStore) => {
  it('is verified without reading what came before it', async () => {
    const {address, head} = await prepare(createStore)
    const whole = await withChainReader(address, (reader) => verifyJournal(reader))
    let read = 0
    const result = await verifyAfter(address, head, (reader) => ({
      ...reader,
      readEntries: async (after) => {
        const entries = await reader.readEntries(after)
        read = Math.max(read, entries.length)
        return entries
      },
      readPayments: () => {
        throw new Error('all payments are read')
      },
    }))
    expect(result).toMatchObject({entries: 4, payments: 2, heads: whole.heads})
    expect(result.finding).toBeUndefined()
    expect(await verifyAfter(address, whole.heads)).toMatchObject({entries: 0, payments: 0})
  })

  it('has to follow that head', async () => {
    const {address, head} = await prepare(createStore)
    const used = head.find(({number}) => number > 0)
    const replace = (change: Partial<ChainHead>) => head.map((each) => (each === used ? {...each, ...change} : each))
    expect((await verifyAfter(address, replace({hash: '0'.repeat(64)}))).finding).toMatchObject({kind: 'rewritten'})
    expect((await verifyAfter(address, replace({number: 1_000}))).finding).toMatchObject({kind: 'truncated'})
  })
})

it('finds a later entry, and a payment that it changed, if somebody changed them', async () => {
  const {address, head} = await prepare(stores[0][1])
  const database = new DatabaseSync(address.text)
  database.exec(`update payments set state = 'CREATED' where key = 'later-2'`)
  expect((await verifyAfter(address, head)).finding).toMatchObject({kind: 'changed', key: 'later-2'})
  database.exec(
    `update payments set state = 'QUOTED' where key = 'later-2'; update history set what = 'ARMED' where key = 'later-1'`,
  )
  expect((await verifyAfter(address, head)).finding).toMatchObject({kind: 'changed', key: 'later-1'})
  database.close()
})
