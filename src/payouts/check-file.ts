// The checks of a whole file before its first row: the limits that are known, and rows that may be duplicates.
import type {SvcError} from '../errors.ts'
import {findDuplicateRows} from './file-duplicates.ts'
import {type CheckedFile, findRowsOverLimit} from './file-limits.ts'
import {type RowStop, rejectDuplicates, rejectOverLimit} from './row-stop.ts'

export interface FileRules {
  // Rows that do not fit the limits are left out, instead of the whole file.
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

export function checkFile(
  file: CheckedFile,
  {isUpToCap, duplicateWindowMs}: FileRules,
  isRehearsal: boolean,
): FileCheck {
  const {rows} = file
  const overLimit = findRowsOverLimit(file)
  const stopped = new Set(overLimit.map(({row}) => row.key))
  const paid = rows.filter(({key}) => !stopped.has(key))
  const duplicates = findDuplicateRows({...file, rows: paid}, duplicateWindowMs)
  if (overLimit.length > 0 && !isUpToCap) {
    const error = rejectOverLimit(overLimit, rows, isRehearsal)
    return {overLimit, duplicates, refusal: {error, isAboutDuplicates: false}}
  }
  if (duplicates.length === 0) return {overLimit, duplicates}
  const error = rejectDuplicates(duplicates, rows, isRehearsal)
  return {overLimit, duplicates, refusal: {error, isAboutDuplicates: true}}
}
