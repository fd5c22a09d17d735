// The result file with what is known of every row. It is replaced atomically and readable by its owner only.
import fs from 'node:fs'
import path from 'node:path'
import type {Parties} from '../../accounts/parties.ts'
import {createCsvWriter} from '../../cli/output/formats.ts'
import {badUsage} from '../../errors.ts'
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
  // Some rows at a time. Names that are not known yet are read, if they are wanted.
  write(
    pages: Iterable<readonly PayoutResult[]> | AsyncIterable<readonly PayoutResult[]>,
    isNamed?: boolean,
  ): Promise<void>
}

// All code that writes it is loaded now: svc may be replaced while the rows are paid.
export async function openResultFile(
  file: string,
  names: Parties | undefined,
  notice: (text: string) => void,
): Promise<ResultFile> {
  const csv = await createCsvWriter(buildResultColumns(names))
  return {
    removeEarlier: () => fs.rmSync(file, {force: true}),
    async write(pages, isNamed = true) {
      async function* render() {
        yield csv.header()
        for await (const results of pages) {
          if (isNamed) await names?.read(results.map(({customer}) => customer))
          yield csv.rows(results)
        }
      }
      await writeWholeFile(file, render())
      const missing = isNamed ? names?.describeMissing() : undefined
      if (missing !== undefined) notice(missing)
      notice(`What is known of every row is in ${file}.`)
    },
  }
}
