// What verification is known to refuse in the answers of a wizard, and the question to go back to for each.
import type {Objection, Question} from '../../cli/wizard/question.ts'
import {issueCodes} from '../../contract/issue-codes.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {type Refusal, findRefusals} from '../find-refusals.ts'
import {toSubject} from './parts.ts'

const getFields = ({code}: Refusal) => issueCodes.find((entry) => entry.code === code)?.fields ?? []

const getFirstName = (path: string) => /^[^.[\]]+/.exec(path)?.[0] ?? ''

// Codes name fields without the index of a list.
export const removeIndexes = (path: string) => path.replaceAll(/\[\d+\]/g, '')

// The question itself, else one below the path for a field of the code, else any below the path.
function findQuestion({paths, ...refusal}: Refusal, body: Body, questions: readonly Question[]): Question | undefined {
  const [path = body['kybData'] === undefined ? 'kycData' : 'kybData'] = paths
  const asked = questions
    .filter(({isSettled}) => !isSettled)
    .map((question) => ({question, subject: toSubject(question.path)}))
  const below = asked.filter(
    ({question, subject}) => !question.path.startsWith('$.applies.') && subject.startsWith(path),
  )
  const fields = getFields({paths, ...refusal})
  const hasField = ({subject}: {subject: string}) =>
    fields.some((field) => removeIndexes(subject).endsWith(`.${field}`))
  const hasPart = ({subject}: {subject: string}) =>
    fields.some((field) => removeIndexes(subject).slice(removeIndexes(path).length).includes(getFirstName(field)))
  const found = asked.find(({question}) => question.path === path) ?? below.find(hasField) ?? below.find(hasPart)
  return (found ?? below[0])?.question
}

// A correction sends some parts. What the others hold is not known here, so only these are judged: a value that is given,
// or the list of documents.
function isAboutGiven(refusal: Refusal, body: Body): boolean {
  if (refusal.paths.length > 0) return refusal.paths.some((path) => getValue(body, path) !== undefined)
  const names = getFields(refusal).map(getFirstName)
  const documents = getValue(body, 'kycData.documents')
  return documents !== undefined && names.every((name) => name === 'documents')
}

export const listObjections = (
  questions: readonly Question[],
  body: Body,
  {isWhole}: {isWhole: boolean},
): Objection[] =>
  findRefusals(body)
    .filter((refusal) => isWhole || isAboutGiven(refusal, body))
    .map((refusal) => ({message: refusal.message, question: findQuestion(refusal, body, questions)}))
