// What verification is known to refuse in the answers of a wizard, and the question to go back to for each.
import type {Objection, Question} from '../../cli/wizard/question.ts'
import type {Body} from '../../values/body-paths.ts'
import {findRefusals, limitToCorrection} from '../find-refusals.ts'
import {toSubject} from './parts.ts'

export const isAtOrBelow = (path: string, ancestor: string) =>
  path === ancestor || path.startsWith(`${ancestor}.`) || path.startsWith(`${ancestor}[`)

// The question about a field, else the first one about a part of it, or about what it is a part of.
function findQuestion(fields: readonly string[], questions: readonly Question[]): Question | undefined {
  const asked = questions.filter(({path, isSettled}) => !isSettled && !path.startsWith('$.applies.'))
  const find = (isMatch: (subject: string, field: string) => boolean) =>
    asked.find(({path}) => fields.some((field) => isMatch(toSubject(path), field)))
  return (
    find((subject, field) => subject === field) ??
    find((subject, field) => isAtOrBelow(subject, field)) ??
    find((subject, field) => isAtOrBelow(field, subject))
  )
}

export function listObjections(questions: readonly Question[], body: Body, isWhole: boolean): Objection[] {
  const found = findRefusals(body)
  return (isWhole ? found : limitToCorrection(found, body)).map(({reason, fields}) => ({
    message: `${reason}.`,
    question: findQuestion(fields, questions),
  }))
}
