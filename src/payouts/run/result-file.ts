// The result file with the outcome of every row. It is replaced atomically and readable by its owner only.
import fs from 'node:fs'
import path from 'node:path'
import {createCsvWriter} from '../../cli/output/formats.ts'
import type {PartyNames} from '../../accounts/account-names.ts'
import {badUsage, getSystemCode} from '../../errors.ts'
import {rejectOwnFile, writeWholeFile} from '../../storage/write-whole-file.ts'
import {checkReplaceable, replacePrivateFile} from '../../storage/private-file.ts'
import type {PayoutResult} from './result.ts'
import type {PayoutResults} from './report-file.ts'
import {buildResultColumns} from './view.ts'

const cannotWrite = (file: string, cause: unknown) =>
  badUsage(
    `The result file ${file} cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
    'Name another with --result; nothing was sent',
    cause,
  )

// Also compares links.
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => fs.statSync(name, {throwIfNoEntry: false}))
  return path.resolve(one) === path.resolve(other) || (a && b ? a.dev === b.dev && a.ino === b.ino : false)
}

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

export interface ResultFile {
  name: string
  names: PartyNames | undefined
  // Renames the file of an earlier run to NAME.old, so that it is never taken for the outcome of this one.
  setAside(): void
  write(results: readonly PayoutResult[]): void
}

// Fails before anything is paid if the file cannot be written.
export async function openResultFile(file: string, names: PartyNames | undefined): Promise<ResultFile> {
  const csv = await createCsvWriter(buildResultColumns(names))
  try {
    checkReplaceable(file)
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK)
  } catch (cause) {
    throw cannotWrite(file, cause)
  }
  return {
    name: file,
    names,
    setAside() {
      try {
        fs.renameSync(file, `${file}.old`)
      } catch (cause) {
        // There was none, or another run of the same file was quicker.
        if (getSystemCode(cause) !== 'ENOENT') throw cannotWrite(file, cause)
      }
    },
    write: (results) => replacePrivateFile(file, csv.header() + csv.rows(results)),
  }
}

// Writes what has become of every row as a private file, with the columns of a result file.
export async function writeResults(
  {pages}: Pick<PayoutResults, 'pages'>,
  file: string,
  names: PartyNames | undefined,
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
