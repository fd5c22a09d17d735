// What a worker knows of a batch is read once. It is read again after a refusal, which people may
// have answered since, and if reading it failed.
import {expect, it} from 'vitest'
import type {BatchRow} from '../../../src/fleet/batches.ts'
import {BatchGuard, type RowSettings} from '../../../src/fleet/guard.ts'
import type {OpenPaymentContext} from '../../../src/payments/context/open-context.ts'
import type {PayoutRow} from '../../../src/payouts/file/rows.ts'
import {content} from '../connect.ts'

const away = () => Promise.reject(new Error('the connection is closed'))
const destination = content.destination.destinationPaymentAccountId
const paid = async () => [{destination, isPaid: true}]

// What happens at the first look at a row, and how often the rows are read in two looks.
const rules: Array<{
  first: string
  readRows?: () => Promise<never>
  listPayees?: () => Promise<object[]>
  reads: number
}> = [
  {first: 'finds nothing to object to', reads: 1},
  {first: 'cannot ask the journal', listPayees: away, reads: 1},
  {first: 'cannot read the rows', readRows: away, reads: 2},
  {first: 'finds that a payee has to wait', listPayees: async () => [], reads: 2},
]

it.each(rules)(
  'a batch is read $reads times if the first look $first',
  async ({readRows, listPayees = paid, reads}) => {
    const row: PayoutRow = {line: 2, key: 'k', content, limits: {}, isGuaranteed: false}
    let [looks, rowReads] = [0, 0]
    const read = async ({text}: {text: string}) => {
      if (!text.includes('batch_rows r')) return [{id: 'b1', state: 'PAUSED'}]
      rowReads += 1
      return looks === 1 && readRows ? readRows() : [{row, state: 'WAITING', heard: null, owner: null, payment: null}]
    }
    const journal = {listPayees: () => (looks === 1 ? listPayees() : paid()), recordDecision: async () => {}}
    const clock = {isObserved: () => true, earliest: () => 0, latest: () => 0, wall: () => 0}
    const settings = {database: {read}, traits: {serviceId: 's'}, caller: {coolDownMs: 1_000}, log() {}, rebind() {}}
    const guard = new BatchGuard(settings as unknown as RowSettings, {journal, clock} as unknown as OpenPaymentContext)
    const look = async () => {
      looks += 1
      return guard.permit({...row, batchId: 'b1', batchState: 'ACTIVE'} as unknown as BatchRow).catch(() => undefined)
    }
    await look()
    expect(await look()).toBeDefined()
    expect(rowReads).toBe(reads)
  },
)
