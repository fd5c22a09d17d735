// The images that verification refused in an earlier round. The same file must not be sent again without a word.
import type {Body} from '../../cli/body/assignments.ts'
import {type Question, type Step, isQuestion} from '../../cli/wizard/steps.ts'
import {isDocumentPath, mapDocuments} from '../documents/document-fields.ts'
import type {Issue} from './issues.ts'

// The code that verification refused a file with, by the path of the file.
export type RefusedImages = ReadonlyMap<string, string>

const getFieldName = (path: string) => path.slice(path.lastIndexOf('.') + 1)

// An issue about a document names the sides that it concerns. Other issues may only doubt what the image shows.
const isAboutImages = ({entry}: Issue) => entry?.group === 'DOCUMENT' || entry?.group === 'ADDRESS'

export function findRefusedImages(sent: Body, issues: readonly Issue[]): RefusedImages {
  const codes = new Map(
    issues
      .filter(isAboutImages)
      .flatMap(({code, entry}) => (entry?.fields ?? []).map((field) => [getFieldName(field), code] as const)),
  )
  const refused = new Map<string, string>()
  mapDocuments(sent, (document, path) => {
    const code = codes.get(getFieldName(path))
    if (code !== undefined && isDocumentPath(document)) refused.set(document, code)
    return document
  })
  return refused
}

const describeRefusal = (code: string) =>
  `Verification refused this file (${code}): choose another, or replace it first`

export const warnOfRefused = (step: Step, refused: RefusedImages): Step => {
  if (!isQuestion(step) || !step.isFile) return step
  const warn: Question['warn'] = (value) => {
    const code = refused.get(String(value))
    return code === undefined ? undefined : describeRefusal(code)
  }
  return {...step, warn}
}
