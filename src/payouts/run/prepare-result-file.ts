// Writes the result file of a run. Whether that works does not change what is reported of the rows.
import {getSystemCode} from '../../errors.ts'
import type {ResultFile} from './result-file.ts'
import type {PayoutResult} from './result.ts'

export interface ResultFileSettings {
  resultFile?: ResultFile | undefined
  notice: (text: string) => void
  alert: (text: string) => void
}

// Sets the result file of an earlier run aside, and returns how to write the one of this run. That returns the notices
// about it.
export function prepareResultFile({resultFile, alert}: Omit<ResultFileSettings, 'notice'>) {
  const aside = resultFile?.setAside()
  // What was paid is reported even if the file cannot be written, for example because the disk is full.
  return (results: readonly PayoutResult[]): string[] => {
    if (!resultFile) return []
    const earlier = aside === undefined ? [] : [`The result file of an earlier run is now ${aside}.`]
    try {
      const {isUnchanged} = resultFile.write(results)
      if (isUnchanged) return [`The outcome of every row is the same as before, in ${resultFile.name}.`]
      return [...earlier, `The outcome of every row is in ${resultFile.name}.`]
    } catch (error) {
      alert(`The result file ${resultFile.name} could not be written (${getSystemCode(error) ?? String(error)})`)
      return earlier
    }
  }
}
