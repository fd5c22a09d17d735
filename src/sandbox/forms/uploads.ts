// Stores the files of a form that was not accepted yet, so that the user need not choose them again.
import {hash} from 'node:crypto'
import type {Database} from '../store/database.ts'
import type {RequestContext} from '../service/request-context.ts'
import {createSeal, linkLifetimeDays} from './links.ts'
import type {Upload} from './posted-form.ts'

// As long as the link to the form works, so that a form can be finished later.
const uploadLifetimeMs = linkLifetimeDays * 24 * 60 * 60 * 1_000
// For one form; more than a completely filled form needs.
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
    (select seq from formUploads where formToken = ? order by seq desc limit ? + 0)`

// The reference is a seal of the form and the content: it cannot be guessed, and the same file is stored once.
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

// Called once the form is accepted: the submitted data contains the files.
export const deleteUploads = (database: Database, formToken: string) =>
  database.run('delete from formUploads where formToken = ?', formToken)
