// Reads a batch of the fleet for those who approve it.
import type {Approvable} from '../../controls/approvable.ts'
import {type PaymentContextSettings, withPaymentContext} from '../../payments/run/open-context.ts'
import {describeRows} from '../../payouts/file/approvable-rows.ts'
import type {PayoutRow} from '../../payouts/file/rows.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {walkRows} from './batch-rows.ts'
import {findBatch} from './batch.ts'
import {withFleet} from './open-fleet.ts'

export interface BatchReading {
  reference: string
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
}

export async function readApprovableBatch({reference, traits, connect}: BatchReading): Promise<Approvable> {
  const {serviceId} = traits
  return withFleet(traits.journal, async ({database}) => {
    const {id} = await findBatch(database, serviceId, reference)
    const rows: PayoutRow[] = []
    for await (const page of walkRows(database, id)) rows.push(...page)
    return withPaymentContext({traits, connect}, ({client, journal}) =>
      describeRows({serviceId, rows, name: id, client, journal}),
    )
  })
}
