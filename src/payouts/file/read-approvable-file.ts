// Reads a payout file for those who approve it, with the rows as they would be paid.
import type {Approvable} from '../../controls/approvable.ts'
import type {PaymentContextSettings} from '../../payments/run/open-context.ts'
import type {ServiceTraits} from '../../profiles/service-traits.ts'
import {describeRows} from './approvable-rows.ts'
import {openBatch} from '../run/open-batch.ts'
import {readValidPayouts, rejectWrongRows} from './reject-whole-file.ts'

export interface FileReading {
  file: string
  traits: ServiceTraits
  connect: PaymentContextSettings['connect']
  notice: (text: string) => void
}

export async function readApprovableFile({file, traits, connect, notice}: FileReading): Promise<Approvable> {
  const {rows, remarks} = await readValidPayouts(file, async () => ({traits, connect}))
  for (const remark of remarks) notice(remark)
  const batch = await openBatch({traits, rows, connect})
  try {
    await rejectWrongRows(file, batch, [])
    const {client, journal} = batch.context
    return await describeRows({serviceId: traits.serviceId, rows: batch.rows, name: file, file, client, journal})
  } finally {
    await batch.context.close()
  }
}
