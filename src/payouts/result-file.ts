// The result file with the outcome of every row. It is replaced atomically and readable by its owner only.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {badUsage, getSystemCode} from '../errors.ts'
import {fileMode, withPrivateUmask} from '../storage/private-file.ts'
import {createCsvWriter} from '../cli/output/formats.ts'
import {payoutResultColumns} from './view.ts'
import type {PayoutResult} from './result.ts'

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
  return requested ?? (file === '-' ? undefined : `${file}.result.csv`)
}

// Also compares links.
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => fs.statSync(name, {throwIfNoEntry: false}))
  return path.resolve(one) === path.resolve(other) || (a && b ? a.dev === b.dev && a.ino === b.ino : false)
}

export interface ResultFile {
  name: string
  // Synchronous, because it is also called when the process exits.
  write(results: readonly PayoutResult[]): void
}

// Fails before anything is paid if the file cannot be written.
export async function openResultFile(file: string): Promise<ResultFile> {
  const csv = await createCsvWriter(payoutResultColumns)
  const draft = `${file}.${randomUUID().slice(0, 8)}.part`
  const writeDraft = (text: string) => {
    const descriptor = withPrivateUmask(() => fs.openSync(draft, 'w', fileMode))
    try {
      fs.writeSync(descriptor, text)
      fs.fsyncSync(descriptor)
    } finally {
      fs.closeSync(descriptor)
    }
  }
  try {
    if (fs.statSync(file, {throwIfNoEntry: false})?.isDirectory()) throw Object.assign(new Error(), {code: 'EISDIR'})
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK)
  } catch (cause) {
    throw cannotWrite(file, cause)
  }
  return {
    name: file,
    write(results) {
      writeDraft(csv.header() + csv.rows(results))
      fs.renameSync(draft, file)
    },
  }
}
