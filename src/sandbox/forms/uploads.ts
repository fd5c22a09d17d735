// Files that came with a form which was not complete yet: kept for a while, so that nobody has to choose them twice.
import {hash} from 'node:crypto'
import type {Database} from '../store/database.ts'
import type {RequestContext} from '../request-context.ts'
import {createSeal} from './links.ts'
import type {Upload} from './posted-form.ts'

const uploadLifetimeMs = 24 * 60 * 60 * 1_000
// Of one form; more than a form with every list filled would hold at a time.
const uploadsMax = 200

const nameLengthMax = 200

interface UploadRow {
  name: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

const insertStatement = `
  insert into formUploads (reference, formToken, name, type, bytes, expiresAt) values (?, ?, ?, ?, ?, ?)
  on conflict (reference) do update set name = excluded.name, expiresAt = excluded.expiresAt`

const trimStatement = `
  delete from formUploads where formToken = ? and seq not in
    (select seq from formUploads where formToken = ? order by seq desc limit ?)`

// The reference follows from the form and the content under a seal: nobody can guess it, and the same file is kept once.
export function storeUpload({database, now}: RequestContext, formToken: string, {name, type, bytes}: Upload): string {
  const reference = createSeal(database, 'upload', formToken, hash('sha256', bytes))
  database.run('delete from formUploads where expiresAt <= ?', now)
  database.run(insertStatement, reference, formToken, name.slice(0, nameLengthMax), type, bytes, now + uploadLifetimeMs)
  database.run(trimStatement, formToken, formToken, uploadsMax)
  return reference
}

export const findUpload = (
  {database, now}: RequestContext,
  formToken: string,
  reference: string,
): UploadRow | undefined =>
  database.one<UploadRow>(
    'select name, type, bytes from formUploads where reference = ? and formToken = ? and expiresAt > ?',
    reference,
    formToken,
    now,
  )

// Once the form is taken, the data holds what is needed.
export const deleteUploads = (database: Database, formToken: string) =>
  database.run('delete from formUploads where formToken = ?', formToken)
