// The checks of a whole file before its first row: the limits that are known, and rows that may be duplicates.
import {SvcError} from '../errors.ts'
import {findDuplicateRows} from './file-duplicates.ts'
import {type CheckedFile, findRowsOverLimit} from './file-limits.ts'
import {type RowStop, createDuplicatesError, createOverLimitError} from './row-stop.ts'

export interface FileRules {
  // Whether only the rows that do not fit the limits are left out, not the whole file.
  isUpToCap: boolean
  // 0 if duplicates are allowed, or not looked for.
  duplicateWindowMs: number
}

export interface FileCheck {
  // Rows that do not fit the limits.
  overLimit: RowStop[]
  // Rows that fit, but may be duplicates.
  duplicates: RowStop[]
  // Why the file may not be paid as it is. A person may allow duplicates.
  refusal?: {error: SvcError; isAboutDuplicates: boolean}
}

async function findStops(file: CheckedFile, {duplicateWindowMs}: FileRules) {
  const {stops: overLimit, ...limits} = await findRowsOverLimit(file)
  const stopped = new Set(overLimit.map(({row}) => row.key))
  const rows = file.rows.filter(({key}) => !stopped.has(key))
  const {stops: duplicates, ...others} = await findDuplicateRows({...file, rows}, duplicateWindowMs)
  return {overLimit, duplicates, dependsOnTime: limits.dependsOnTime || others.dependsOnTime}
}

// Any reply gives the service's time in its Date header. Without a reply, this machine's time is used.
async function learnTime({context, rows}: CheckedFile): Promise<void> {
  const customerId = rows[0]?.content.customerId ?? ''
  const pages = context.service.transactions(customerId, {isFirstPageEnough: true})
  await pages[Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => {
      if (!(error instanceof SvcError)) throw error
    })
}

// The service's time decides which day it is and how long ago a payment was made. It is requested only if payments in the
// journal stop a row.
export async function checkFile(file: CheckedFile, rules: FileRules, isRehearsal: boolean): Promise<FileCheck> {
  const atFirst = await findStops(file, rules)
  if (atFirst.dependsOnTime) await learnTime(file)
  const {overLimit, duplicates} = atFirst.dependsOnTime ? await findStops(file, rules) : atFirst
  if (overLimit.length > 0 && !rules.isUpToCap) {
    const error = createOverLimitError(overLimit, file.rows, isRehearsal)
    return {overLimit, duplicates, refusal: {error, isAboutDuplicates: false}}
  }
  if (duplicates.length === 0) return {overLimit, duplicates}
  const error = createDuplicatesError(duplicates, file.rows, isRehearsal)
  return {overLimit, duplicates, refusal: {error, isAboutDuplicates: true}}
}
