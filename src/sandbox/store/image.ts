// A whole sandbox as bytes, to keep it in memory or to carry it elsewhere.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {ControlError} from '../operations/control-error.ts'
import type {Database} from './database.ts'
import {extractDatabase} from './snapshot-file.ts'
import {checkSchema, restoreRows, saveRows} from './snapshots.ts'

// SQLite copies from file to file, so the bytes pass through one that only its owner can read.
function withFile<T>(work: (file: string) => T): T {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-sandbox-'))
  try {
    return work(path.join(folder, 'image.sqlite'))
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}

export function readImage(database: Database): Uint8Array {
  return withFile((file) => {
    saveRows(database, file)
    return fs.readFileSync(file)
  })
}

const signature = 'SQLite format 3\0'

// Replaces everything, also with what is in a file that was exported. A running clock continues from the time at which the image was read.
export function loadImage(database: Database, bytes: Uint8Array): void {
  const image = extractDatabase(bytes)
  if (Buffer.from(image.subarray(0, signature.length)).toString('latin1') !== signature) {
    throw new ControlError('These bytes are not a sandbox that was saved')
  }
  withFile((file) => {
    fs.writeFileSync(file, image)
    checkSchema(file, 'The saved sandbox')
    restoreRows(database, file)
  })
}
