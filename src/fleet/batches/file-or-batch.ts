// Whether a person who asks what became of something means a payout file on this machine, or a batch of the fleet.
import fs from 'node:fs'
import {SvcError, badUsage} from '../../errors.ts'
import type {ServiceTraits} from '../../profiles/service.ts'
import {isDatabase} from '../../storage/journal-address.ts'
import type {FleetReader} from './report-rows.ts'

interface Answers<T> {
  file: () => Promise<T>
  batch: (fleet: FleetReader) => Promise<T>
}

const isFile = (reference: string) => fs.statSync(reference, {throwIfNoEntry: false})?.isFile() ?? false

// A batch is called like its file, and knows more of it than the journal does.
export async function withFileOrBatch<T>(
  traits: ServiceTraits,
  reference: string,
  batchName: string,
  {file, batch}: Answers<T>,
): Promise<T> {
  if (isDatabase(traits.journal)) {
    const [{withFleetReader}, {findBatch}] = await Promise.all([import('./report-rows.ts'), import('./batch.ts')])
    const answer = await withFleetReader(traits, async (fleet) => {
      try {
        await findBatch(fleet.database, traits.serviceId, batchName)
      } catch (error) {
        if (error instanceof SvcError && error.kind === 'notFound' && isFile(reference)) return undefined
        throw error
      }
      return {value: await batch(fleet)}
    })
    if (answer) return answer.value
  } else if (!isFile(reference)) {
    throw badUsage(
      `There is no file ${reference}`,
      'Name a payout file; batches are those of a fleet, which needs a journal on PostgreSQL',
    )
  }
  return file()
}
