// Writes the result file of a run. Whether that works does not change what is reported of the rows.
import {getSystemCode} from '../errors.ts'
import type {ResultFile} from './result-file.ts'
import type {PayoutResult} from './result.ts'

export interface ResultFileSettings {
  resultFile?: ResultFile | undefined
  notice: (text: string) => void
  alert: (text: string) => void
}

// Sets the result file of an earlier run aside, and returns how to write the one of this run.
export function prepareResultFile({resultFile, notice, alert}: ResultFileSettings) {
  const aside = resultFile?.setAside()
  if (aside !== undefined) notice(`The result file of an earlier run is now ${aside}.`)
  // What was paid is reported even if the file cannot be written, for example because the disk is full.
  return (results: readonly PayoutResult[]) => {
    try {
      resultFile?.write(results)
      return resultFile !== undefined
    } catch (error) {
      alert(`The result file ${resultFile?.name} could not be written (${getSystemCode(error) ?? String(error)})`)
      return false
    }
  }
}

export const describeResultFile = (file: ResultFile | undefined) => `The outcome of every row is in ${file?.name}.`
