// The file that says what became of every row: written whole or not at all, for its owner alone.
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

// Where it goes unless it is told: beside the file that it is about. What comes from standard input has no place.
export function chooseResultFile(file: string, requested: string | undefined): string | undefined {
  if (requested !== undefined && file !== '-' && isSameFile(file, requested)) {
    throw badUsage('--result names the payout file itself, which would be lost', 'Name another file; nothing was sent')
  }
  return requested ?? (file === '-' ? undefined : `${file}.result.csv`)
}

// Also by another name, through a link.
function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map((name) => fs.statSync(name, {throwIfNoEntry: false}))
  return path.resolve(one) === path.resolve(other) || (a && b ? a.dev === b.dev && a.ino === b.ino : false)
}

export interface ResultFile {
  name: string
  // At once, without giving way to anything: it is also called when the process is ending.
  write(results: readonly PayoutResult[]): void
}

// Says at once, before anything is paid, if it could not be written at the end.
export async function openResultFile(file: string): Promise<ResultFile> {
  const csv = await createCsvWriter(payoutResultColumns)
  const draft = `${file}.${randomUUID().slice(0, 8)}.part`
  const put = (text: string) => {
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
      put(csv.header() + csv.rows(results))
      fs.renameSync(draft, file)
    },
  }
}
