// What verification is known to refuse in the answers of a wizard, and the question to go back to for each.
import {issueCodes} from '../../contract/issue-codes.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {type Answers, type Step, getStepKey, isChecklist, isQuestion} from '../../cli/wizard/steps.ts'
import type {Objection} from '../../cli/wizard/wizard.ts'
import {type Refusal, findRefusals} from '../find-refusals.ts'

const getRoot = ({kybData}: Answers['body']) => (kybData === undefined ? 'kycData' : 'kybData')

const getFields = ({code}: Refusal) => issueCodes.find((entry) => entry.code === code)?.fields ?? []

const getFirstName = (path: string) => /^[^.[\]]+/.exec(path)?.[0] ?? ''

// Codes name fields without the index of a list.
const removeIndexes = (path: string) => path.replaceAll(/\[\d+\]/g, '')

// The question itself, else one below the path for a field of the code, else any below the path.
function findStep(refusal: Refusal, answers: Answers, steps: readonly Step[]): Step | undefined {
  const [path = getRoot(answers.body)] = refusal.paths
  const exact = steps.find((step) => isQuestion(step) && step.path === path)
  const below = steps.filter((step) => !isChecklist(step) && /^[.[]/.test(getStepKey(step).split(path)[1] ?? ''))
  const fields = getFields(refusal)
  const hasField = (step: Step) => fields.some((field) => removeIndexes(getStepKey(step)).endsWith(`.${field}`))
  const hasPart = (step: Step) =>
    fields.some((field) =>
      removeIndexes(getStepKey(step)).slice(removeIndexes(path).length).includes(getFirstName(field)),
    )
  return exact ?? below.find(hasField) ?? below.find(hasPart) ?? below[0]
}

// A correction sends some parts. What the others hold is not known here, so only these are judged: a value that is given,
// or the list of documents.
function isAboutGiven(refusal: Refusal, {body}: Answers): boolean {
  if (refusal.paths.length > 0) return refusal.paths.some((path) => getValue(body, path) !== undefined)
  const names = getFields(refusal).map(getFirstName)
  const documents = getValue(body, 'kycData.documents')
  return documents !== undefined && names.every((name) => name === 'documents')
}

export const listObjections =
  (getSteps: (answers: Answers) => Step[], {isWhole}: {isWhole: boolean}) =>
  (answers: Answers): Objection[] => {
    const steps = getSteps(answers)
    return findRefusals(answers.body)
      .filter((refusal) => isWhole || isAboutGiven(refusal, answers))
      .map((refusal) => ({message: refusal.message, step: findStep(refusal, answers, steps)}))
  }
