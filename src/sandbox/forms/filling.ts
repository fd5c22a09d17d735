// A form while it is filled in: what stands in it comes from data that was submitted earlier or from the browser, and
// goes back to the browser or into a body.
import type {Problem} from '../../contract/problems.ts'
import type {RequestContext} from '../request-context.ts'
import {type Body, bodyOf, valueAt} from './body.ts'
import {fieldsConcerned} from './concerns.ts'
import type {FormView} from './controls.ts'
import {
  type Entered,
  enteredFrom,
  type KeptFile,
  referenceToEarlier,
  withFirstItems,
  withItem,
  withoutBlankItems,
  withoutItem,
} from './entered.ts'
import {finderIn} from './fields.ts'
import type {OpenedForm} from './hosted-form.ts'
import type {Action, Posted, Upload} from './posted.ts'
import type {Remark} from './render.ts'
import {findUpload, keepUpload} from './uploads.ts'
import {inWords, worded} from './wording.ts'

const dataUriOf = (type: string, bytes: Uint8Array) => `data:${type};base64,${Buffer.from(bytes).toString('base64')}`

const fileOf = ({name, type, bytes, problem}: Upload, reference?: string): KeptFile => ({
  reference,
  name,
  bytes: bytes.length,
  type,
  problem,
  toDataUri: () => dataUriOf(type, bytes),
})

// A file that the browser only refers to, if it is still there.
function keptBefore(
  turn: RequestContext,
  formToken: string,
  earlier: Entered,
  reference: string,
): KeptFile | undefined {
  if (reference.startsWith(referenceToEarlier)) return earlier.files.get(reference.slice(referenceToEarlier.length))
  const row = findUpload(turn, formToken, reference)
  return row && fileOf({...row, bytes: Buffer.from(row.bytes)}, reference)
}

export const earlierIn = ({earlier, root, nodes}: OpenedForm): Entered => enteredFrom(earlier, root, finderIn(nodes))

// What the browser sent. Files that are worth keeping are kept where the form will be shown again.
export function enteredBy(
  turn: RequestContext,
  formToken: string,
  opened: OpenedForm,
  posted: Posted,
  isKeeping: boolean,
): Entered {
  const earlier = earlierIn(opened)
  const files = new Map<string, KeptFile>()
  for (const [path, reference] of posted.kept) {
    const file = keptBefore(turn, formToken, earlier, reference)
    if (file) files.set(path, file)
  }
  for (const [path, upload] of posted.uploads) {
    const isKept = isKeeping && upload.problem === undefined
    files.set(path, fileOf(upload, isKept ? keepUpload(turn, formToken, upload) : undefined))
  }
  return {texts: posted.texts, files}
}

const itemPattern = /^(.+)\[(\d+)\]$/

// What the button asked for.
export function acted(entered: Entered, {name, path}: Action, {nodes}: OpenedForm): Entered {
  const find = finderIn(nodes)
  if (name === 'add') {
    const list = find(path)
    return list?.is === 'list' ? withItem(entered, {...list, path}) : entered
  }
  const [, list = '', index = ''] = itemPattern.exec(path) ?? []
  return name === 'remove' && find(list)?.is === 'list' ? withoutItem(entered, list, Number(index)) : entered
}

export const complete = (entered: Entered, {nodes}: OpenedForm) => withoutBlankItems(entered, nodes)

export function bodyFrom(entered: Entered, {nodes, root, earlier}: OpenedForm, unknown: Posted['unknown']): Body {
  const hadItems = (path: string) => {
    const list = valueAt(earlier, path.slice(root.length))
    return Array.isArray(list) && list.length > 0
  }
  return bodyOf(nodes, {entered, hadItems}, unknown)
}

export interface Shown {
  view: FormView
  errors: Remark[]
  asked: Remark[]
}

const grouped = (remarks: readonly {path?: string | undefined; message: string}[]) => {
  const found = new Map<string, string[]>()
  for (const {path, message} of remarks) if (path !== undefined) found.set(path, [...(found.get(path) ?? []), message])
  return found
}

// Everything that the page says: what is wrong, what verification asks for, and what stands in the fields.
export function shownWith(
  given: Entered,
  opened: OpenedForm,
  problems: readonly Problem[],
  fileAddress: FormView['fileAddress'],
): Shown {
  const {root, nodes, issues} = opened
  const find = finderIn(nodes)
  const entered = withFirstItems(given, nodes)
  const wrong = problems.map((problem) => worded(problem, root, find))
  const concerned = issues.map((issue) => ({
    message: inWords(issue.message, [root], find),
    paths: fieldsConcerned({root, nodes, entered, find}, issue),
  }))
  return {
    view: {
      entered,
      problems: grouped(wrong),
      issues: grouped(concerned.flatMap(({message, paths}) => paths.map((path) => ({path, message})))),
      fileAddress,
    },
    errors: wrong.map(({path, sentence}) => ({path, message: sentence})),
    asked: concerned.map(({message, paths}) => ({message, path: paths[0]})),
  }
}

// Files that had to be given up, said beside their fields where nothing else is said.
export const fileProblems = ({files}: Entered): Problem[] =>
  [...files].flatMap(([path, {problem}]) => (problem === undefined ? [] : [{path, message: problem}]))
