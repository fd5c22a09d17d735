// Reads the results of a batch some rows at a time, and writes them as a private file.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import {badUsage, getSystemCode} from '../errors.ts'
import {createCsvWriter} from '../cli/output/formats.ts'
import type {PayoutResult} from '../payouts/result.ts'
import {payoutResultColumns} from '../payouts/view.ts'
import {rejectOwnFile} from '../storage/own-files.ts'
import {checkReplaceable, fileMode, withPrivateUmask} from '../storage/private-file.ts'
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

const cannotWrite = (file: string, cause: unknown) =>
  badUsage(
    `The file ${file} cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
    'Name another with --out',
    cause,
  )

// The file is replaced once all rows are written.
export async function writeBatchResults({pages}: BatchResults, file: string): Promise<void> {
  rejectOwnFile(file)
  const csv = await createCsvWriter(payoutResultColumns)
  const draft = `${file}.${randomUUID().slice(0, 8)}.part`
  let descriptor: number | undefined
  try {
    checkReplaceable(file)
    descriptor = withPrivateUmask(() => fs.openSync(draft, 'wx', fileMode))
    fs.writeSync(descriptor, csv.header())
    for await (const {items} of pages()) fs.writeSync(descriptor, csv.rows(items))
    fs.fsyncSync(descriptor)
    fs.renameSync(draft, file)
  } catch (error) {
    fs.rmSync(draft, {force: true})
    throw getSystemCode(error) === undefined ? error : cannotWrite(file, error)
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}
