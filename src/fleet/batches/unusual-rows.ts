// Finds out, with a few statements about all rows of a batch, whether any of them needs a closer look before the batch is stored.
import type {Query} from '../../storage/postgres/database.ts'

export interface Unusual {
  // A row that another batch has, which has not ended.
  other?: {key: string; batchId: string} | undefined
  isUnusual: boolean
}

const otherText = `
  select r.key, o.batch_id as "batchId" from svc.batch_rows r
  join svc.batch_rows o on o.key = r.key and o.batch_id <> r.batch_id and o.state in ('WAITING', 'UNKNOWN')
  join svc.batches b on b.id = o.batch_id and b.service_id = $2
  where r.batch_id = $1 order by r.line limit 1`

const repeatedKeyText = `
  select exists (select from svc.batch_rows where batch_id = $1 group by key having count(*) > 1) as found`

// The journal has a payment of this key, at this service or at another.
const knownKeyText = `
  select exists (select from svc.batch_rows r join svc.payments p on p.key = r.key where r.batch_id = $1) as found`

const alikeText = `
  select exists (select from svc.batch_rows where batch_id = $1 group by content->'destination'->>'destinationPaymentAccountId',
    upper(content->'source'->>'sourceCurrency'), (content->'source'->>'sourceAmount')::numeric having count(*) > 1) as found`

const paidText = `
  select exists (select from svc.batch_rows r join svc.payments p
      on p.service_id = $2 and p.destination = r.content->'destination'->>'destinationPaymentAccountId'
    where r.batch_id = $1 and p.state in ('ARMED', 'CREATED', 'UNKNOWN')) as found`

export interface StoredBatch {
  batchId: string
  serviceId: string
  duplicateWindowMs: number
}

export async function findUnusual(query: Query, batch: StoredBatch): Promise<Unusual> {
  const {batchId, serviceId, duplicateWindowMs} = batch
  const isFound = async (text: string, ...more: string[]) =>
    (await query<{found: boolean}>({text}, [batchId, ...more]))[0]?.found === true
  // Nothing is known yet about rows of this transaction, and a plan that looks each of them up in a list of all would never end.
  await query({text: 'set local enable_nestloop = off'})
  const [other] = await query<{key: string; batchId: string}>({text: otherText}, [batchId, serviceId])
  const isUnusual =
    (await isFound(repeatedKeyText)) ||
    (await isFound(knownKeyText)) ||
    (duplicateWindowMs > 0 && ((await isFound(alikeText)) || (await isFound(paidText, serviceId))))
  await query({text: 'set local enable_nestloop = on'})
  return {other, isUnusual}
}
