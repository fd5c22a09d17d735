// The result file with the outcome of every row. It is replaced atomically and readable by its owner only.
import fs from 'node:fs'
import path from 'node:path'
import type {Parties} from '../../accounts/parties.ts'
import {createCsvWriter} from '../../cli/output/formats.ts'
import {badUsage, getSystemCode} from '../../errors.ts'
import {replacePrivateFile} from '../../storage/private-file.ts'
import {checkOutputFile, writeWholeFile} from '../../storage/write-whole-file.ts'
import type {PayoutResult} from './result.ts'
import {buildResultColumns} from './view.ts'

// Also compares links.
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => fs.statSync(name, {throwIfNoEntry: false}))
  return path.resolve(one) === path.resolve(other) || (a && b ? a.dev === b.dev && a.ino === b.ino : false)
}

// By default it is next to the payout file. For standard input there is none by default. Fails before anything is read or paid if the
// file cannot be written.
export function chooseResultFile(file: string, requested: string | undefined): string | undefined {
  if (requested !== undefined && file !== '-' && isSameFile(file, requested)) {
    throw badUsage(
      '--result names the payout file itself and would overwrite it',
      'Name another file; nothing was sent',
    )
  }
  const chosen = requested ?? (file === '-' ? undefined : `${file}.result.csv`)
  if (chosen !== undefined) checkOutputFile(chosen)
  return chosen
}

export interface ResultFile {
  // The file of an earlier run must never be taken for the outcome of this one, if this one is killed.
  removeEarlier(): void
  write(results: readonly PayoutResult[], isNamed: boolean): Promise<void>
}

interface ResultFileSettings {
  names: Parties | undefined
  notice: (text: string) => void
  alert: (text: string) => void
}

// What was paid is reported even if it cannot be written in the end, for example because the disk is full. All code that writes it is
// loaded now: svc may be replaced while the rows are paid.
export async function openResultFile(file: string, {names, notice, alert}: ResultFileSettings): Promise<ResultFile> {
  const csv = await createCsvWriter(buildResultColumns(names))
  return {
    removeEarlier: () => fs.rmSync(file, {force: true}),
    async write(results, isNamed) {
      if (isNamed) await readNames(names, results, notice)
      try {
        replacePrivateFile(file, csv.header() + csv.rows(results))
        notice(`The outcome of every row is in ${file}.`)
      } catch (error) {
        alert(`The result file ${file} could not be written (${getSystemCode(error) ?? String(error)})`)
      }
    },
  }
}

async function readNames(names: Parties | undefined, results: readonly PayoutResult[], notice: (text: string) => void) {
  await names?.read(results.map(({customer}) => customer))
  const missing = names?.describeMissing()
  if (missing !== undefined) notice(missing)
}

// Writes what has become of every row as a private file, some rows at a time.
export async function writeResults(
  pages: AsyncIterable<readonly PayoutResult[]>,
  file: string,
  names: Parties | undefined,
  notice: (text: string) => void,
): Promise<void> {
  const csv = await createCsvWriter(buildResultColumns(names))
  async function* write() {
    yield csv.header()
    for await (const results of pages) {
      await names?.read(results.map(({customer}) => customer))
      yield csv.rows(results)
    }
  }
  await writeWholeFile(file, write())
  await readNames(names, [], notice)
}
