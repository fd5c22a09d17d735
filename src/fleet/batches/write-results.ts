// Reads the results of a batch some rows at a time, and writes them as a private file.
import {createCsvWriter} from '../../cli/output/formats.ts'
import type {PayoutResult} from '../../payouts/run/result.ts'
import {payoutResultColumns} from '../../payouts/run/view.ts'
import {writeWholeFile} from '../../storage/write-whole-file.ts'
import {walkResults} from './batch-result.ts'
import {countRows, findBatch, openRowStates} from './batch.ts'
import type {FleetDatabase} from './open-fleet.ts'

export interface BatchResults {
  openCount: number
  // Closes the database after the last page.
  pages: () => AsyncGenerator<{items: PayoutResult[]; envelope: {payouts: PayoutResult[]}}>
}

export async function openBatchResults(
  {database}: FleetDatabase,
  serviceId: string,
  reference: string,
): Promise<BatchResults> {
  const batch = await findBatch(database, serviceId, reference).catch(async (error: unknown) => {
    await database.close()
    throw error
  })
  return {
    openCount: countRows(batch, openRowStates),
    async *pages() {
      try {
        for await (const items of walkResults(database, batch.id)) yield {items, envelope: {payouts: items}}
      } finally {
        await database.close()
      }
    },
  }
}

export async function writeBatchResults({pages}: BatchResults, file: string): Promise<void> {
  const csv = await createCsvWriter(payoutResultColumns)
  async function* write() {
    yield csv.header()
    for await (const {items} of pages()) yield csv.rows(items)
  }
  await writeWholeFile(file, write())
}
