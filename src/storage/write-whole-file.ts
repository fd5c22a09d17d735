// Writes an output file that somebody named, for its owner alone. An earlier file stays until all of the new one is written.
import {randomUUID} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {badUsage, getSystemCode} from '../errors.ts'
import {rejectOwnFile} from './own-files.ts'
import {checkReplaceable, fileMode, withPrivateUmask} from './private-file.ts'

const cannotWrite = (file: string, cause: unknown) =>
  badUsage(
    `The file ${file} cannot be written (${getSystemCode(cause) ?? 'unknown'})`,
    'Name another with --out',
    cause,
  )

// For commands that read for a long time before they write.
export function checkOutputFile(file: string): void {
  rejectOwnFile(file)
  try {
    checkReplaceable(file)
    fs.accessSync(path.dirname(path.resolve(file)), fs.constants.W_OK)
  } catch (error) {
    throw cannotWrite(file, error)
  }
}

export async function writeWholeFile(file: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
  rejectOwnFile(file)
  const draft = `${file}.${randomUUID().slice(0, 8)}.part`
  const removeDraft = () => fs.rmSync(draft, {force: true})
  let descriptor: number | undefined
  // Ctrl-C leaves nothing behind.
  process.once('exit', removeDraft)
  try {
    checkReplaceable(file)
    descriptor = withPrivateUmask(() => fs.openSync(draft, 'wx', fileMode))
    for await (const chunk of chunks) fs.writeSync(descriptor, chunk)
    fs.fsyncSync(descriptor)
    fs.renameSync(draft, file)
  } catch (error) {
    removeDraft()
    throw getSystemCode(error) === undefined ? error : cannotWrite(file, error)
  } finally {
    process.off('exit', removeDraft)
    if (descriptor !== undefined) fs.closeSync(descriptor)
  }
}
