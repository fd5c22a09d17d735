// Keeps what was entered in a form that is not sent yet, so that the user can go on later, on any device.
import {hash} from 'node:crypto'
import type {Database} from '../store/database.ts'
import type {RequestContext} from '../service/request-context.ts'
import {findKeptFile, readEarlierValues} from './form-submission.ts'
import type {FormFile, FormValues} from './form-values.ts'
import type {OpenedForm} from './hosted-form.ts'
import {linkLifetimeDays} from './links.ts'

interface DraftContent {
  texts: Array<[path: string, texts: readonly string[]]>
  // References to uploads and to earlier files.
  files: Array<[path: string, reference: string]>
}

export interface Draft {
  values: FormValues
  // The step to go on with.
  step: string
}

// As long as the link to the form works.
const draftLifetimeMs = linkLifetimeDays * 24 * 60 * 60 * 1_000

// A draft belongs to the data that it was made from. If that changes, by a PATCH for instance, the draft is out of date.
const describeBasis = ({earlier}: OpenedForm) => hash('sha256', JSON.stringify(earlier ?? null))

const storeStatement = `
  insert into formDrafts (formToken, basis, step, content, savedAt) values (?, ?, ?, ?, ?)
  on conflict (formToken) do update set basis = excluded.basis, step = excluded.step, content = excluded.content,
    savedAt = excluded.savedAt`

export function storeDraft(
  {database, now}: RequestContext,
  formToken: string,
  opened: OpenedForm,
  {texts, files}: FormValues,
  step: string,
): void {
  const content: DraftContent = {
    texts: [...texts],
    files: [...files].flatMap(([path, {reference}]) => (reference === undefined ? [] : [[path, reference]])),
  }
  database.run('delete from formDrafts where savedAt <= ?', now - draftLifetimeMs)
  database.run(storeStatement, formToken, describeBasis(opened), step, JSON.stringify(content), now)
}

export function readDraft(context: RequestContext, formToken: string, opened: OpenedForm): Draft | undefined {
  const row = context.database.one<{basis: string; step: string; content: string}>(
    'select basis, step, content from formDrafts where formToken = ?',
    formToken,
  )
  if (!row || row.basis !== describeBasis(opened)) return undefined
  const {texts, files} = JSON.parse(row.content) as DraftContent
  const earlier = readEarlierValues(opened)
  const kept = files.flatMap(([path, reference]): Array<[string, FormFile]> => {
    const file = findKeptFile(context, formToken, earlier, reference)
    return file ? [[path, file]] : []
  })
  return {values: {texts: new Map(texts), files: new Map(kept)}, step: row.step}
}

export const deleteDraft = (database: Database, formToken: string) =>
  database.run('delete from formDrafts where formToken = ?', formToken)
