// The result file with the outcome of every row. It is replaced atomically and readable by its owner only.
import fs from 'node:fs'
import path from 'node:path'
import {createCsvWriter} from '../../cli/output/formats.ts'
import {badUsage, getSystemCode} from '../../errors.ts'
import {rejectOwnFile, writeWholeFile} from '../../storage/write-whole-file.ts'
import {checkReplaceable, replacePrivateFile} from '../../storage/private-file.ts'
import {type PayoutResult, type RowStop, toStoppedResult} from './result.ts'
import type {KnownPayees} from './preview.ts'
import type {PayoutResults} from './report-file.ts'
import {type Batch, reportRows} from './run.ts'
import {buildResultColumns} from './view.ts'

const cannotWrite = (file: string, cause: unknown) =>
  badUsage(
    `The result file ${file} cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
    'Name another with --result; nothing was sent',
    cause,
  )

// By default it is next to the payout file. For standard input there is none by default.
export function chooseResultFile(file: string, requested: string | undefined): string | undefined {
  if (requested !== undefined && file !== '-' && isSameFile(file, requested)) {
    throw badUsage(
      '--result names the payout file itself and would overwrite it',
      'Name another file; nothing was sent',
    )
  }
  const chosen = requested ?? (file === '-' ? undefined : `${file}.result.csv`)
  if (chosen !== undefined) rejectOwnFile(chosen)
  return chosen
}

// Also compares links.
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => fs.statSync(name, {throwIfNoEntry: false}))
  return path.resolve(one) === path.resolve(other) || (a && b ? a.dev === b.dev && a.ino === b.ino : false)
}

interface ResultFile {
  name: string
  // Reads the names of the payees, and returns what is to be said of those that could not be read.
  readNames(results: readonly PayoutResult[]): Promise<string | undefined>
  // Moves the file of an earlier run away, so that it is never taken for the outcome of this one. Returns its new name.
  setAside(): string | undefined
  // Moves it back instead if it says the same, and returns whether it did. Synchronous, because it is also called when the
  // process exits.
  write(results: readonly PayoutResult[]): {isUnchanged: boolean}
}

// For example payroll.csv.result.2026-11-15T165042Z.csv: when the earlier file was written, in UTC.
function chooseNameAside(file: string): string {
  const {dir, name, ext} = path.parse(file)
  const writtenAt = fs.statSync(file).mtime.toISOString().replace(/\.\d+/, '').replaceAll(':', '')
  for (let number = 1; ; number++) {
    const aside = path.join(dir, `${name}.${writtenAt}${number === 1 ? '' : `-${number}`}${ext}`)
    if (!fs.existsSync(aside)) return aside
  }
}

function setAside(file: string): string | undefined {
  try {
    if (!fs.existsSync(file)) return undefined
    const aside = chooseNameAside(file)
    fs.renameSync(file, aside)
    return aside
  } catch (cause) {
    // Another run of the same file was quicker.
    if (getSystemCode(cause) === 'ENOENT') return undefined
    throw cannotWrite(file, cause)
  }
}

// Returns false if the earlier file says something else, or is gone.
function moveBack(aside: string, file: string, text: string): boolean {
  try {
    if (fs.readFileSync(aside, 'utf8') !== text) return false
    fs.renameSync(aside, file)
    return true
  } catch {
    return false
  }
}

// Fails before anything is paid if the file cannot be written.
export async function openResultFile(file: string, names: KnownPayees['names']): Promise<ResultFile> {
  const csv = await createCsvWriter(buildResultColumns(names))
  try {
    checkReplaceable(file)
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK)
  } catch (cause) {
    throw cannotWrite(file, cause)
  }
  let aside: string | undefined
  return {
    name: file,
    async readNames(results) {
      await names?.read(results.map(({customer}) => customer))
      return names?.describeMissing()
    },
    setAside() {
      aside = setAside(file)
      return aside
    },
    write(results) {
      const text = csv.header() + csv.rows(results)
      if (aside !== undefined && moveBack(aside, file, text)) return {isUnchanged: true}
      replacePrivateFile(file, text)
      return {isUnchanged: false}
    },
  }
}

// Writes the result file of a run. Whether that works does not change what is reported of the rows.
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

// Reports a file of which nothing is paid, because of some of its rows.
export async function refuseFile(
  batch: Pick<Batch, 'context' | 'serviceId' | 'rows' | 'journalState'>,
  stops: readonly RowStop[],
  settings: ResultFileSettings,
): Promise<PayoutResult[]> {
  const writeResultFile = prepareResultFile(settings)
  const stopped = new Map(stops.map((stop) => [stop.row.key, toStoppedResult(stop)]))
  const results = await reportRows(batch, batch.rows, (key) => stopped.get(key))
  for (const text of writeResultFile(results)) settings.notice(text)
  return results
}

// Writes what has become of every row as a private file, with the columns of a result file.
export async function writeResults(
  {pages}: Pick<PayoutResults, 'pages'>,
  file: string,
  names: KnownPayees['names'],
): Promise<void> {
  const csv = await createCsvWriter(buildResultColumns(names))
  async function* write() {
    yield csv.header()
    for await (const {items} of pages()) {
      await names?.read(items.map(({customer}) => customer))
      yield csv.rows(items)
    }
  }
  await writeWholeFile(file, write())
}
