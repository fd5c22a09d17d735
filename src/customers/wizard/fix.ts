// The wizard of `svc customers fix`: the form of a submission, limited to what the issues concern.
import {toText} from '../../cli/output/view.ts'
import {askForm, findAnswered} from '../../cli/wizard/ask-form.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Question, type ReviewedForm, isUnsent} from '../../cli/wizard/question.ts'
import {customerPatch} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {type Body, getValue, isAtOrBelow, withValue} from '../../values/body-paths.ts'
import {readAnswers, replaceParts} from '../answers.ts'
import {getKeysHelp, openDraft} from './draft.ts'
import {type Issue, isForSupport, joinCodes, printIssues, readIssues} from './issues.ts'
import {
  type CustomerType,
  type Part,
  addOneMore,
  buildPartQuestions,
  copyAddresses,
  describeItem,
  findCustomerType,
  getItems,
  isOfPart,
  listParts,
  peoplePath,
  toSubject,
} from './submission.ts'
import {type Sender, completeForm, createForm} from './submit.ts'

interface Correction {
  // In the order of the submission.
  parts: readonly Part[]
  // Of each issue, the paths of what is asked again where the other answers are known, without the indexes of documents.
  concerns: ReadonlyArray<readonly string[]>
}

const choicePath = '$corrected'

const hasFields = ({entry}: Issue) => entry !== undefined && entry.fields.length > 0

// A code names fields of a person: a whole person, if it names none.
const joinFields = (person: string, issues: readonly Issue[]): ReadonlyArray<readonly string[]> =>
  issues.length === 0
    ? [[person]]
    : issues.map((issue) =>
        hasFields(issue) ? (issue.entry?.fields ?? []).map((field) => `${person}.${field}`) : [person],
      )

// What the issues may be about. Of people who are not known, all data is asked for.
function listTargets(type: CustomerType, issues: readonly Issue[], known: Body) {
  return listParts(type).flatMap(({label, paths}) => {
    const [value = ''] = paths
    const people = value === peoplePath ? getItems(known, peoplePath) : []
    if (people.length === 0) return [{name: label, value, concerns: [paths]}]
    return people.map((person, index) => ({
      name: describeItem(person, 'Person', index),
      value: `${value}[${index}]`,
      concerns: joinFields(`${value}[${index}]`, issues),
    }))
  })
}

// The question about what the codes leave open, if they do, and what is corrected by the answer to it. `known` is what was sent
// before, as far as svc knows. What a code of an individual names needs no question. The service does not say whether an issue of a
// business is about the business or about somebody behind it; if it reports no issue at all, the user may know what to correct.
function planCorrection(type: CustomerType, issues: readonly Issue[], known: Body) {
  const isCertain = (issue: Issue) => type === 'INDIVIDUAL' && hasFields(issue)
  const solvable = issues.filter((issue) => !isForSupport(issue))
  const certain = solvable.filter(isCertain)
  const open = solvable.filter((issue) => !isCertain(issue))
  const targets = listTargets(type, open, known)
  const people = targets.filter(({value}) => isAtOrBelow(value, peoplePath))
  const question: Question = {
    path: choicePath,
    label: `What should be corrected${open.length > 0 ? ` for ${joinCodes(open)}` : ''}?`,
    kind: 'several',
    isRequired: issues.length === 0 || open.some(hasFields),
    choices: targets.map(({name, value}) => ({name, value})),
    suggestion: open.some(hasFields) && people.length === 1 ? people.map(({value}) => value) : [],
  }
  return {
    questions: issues.length === 0 || open.length > 0 ? [question] : [],
    read: (body: Body): Correction => {
      const chosen = getValue(body, choicePath)
      const values = Array.isArray(chosen) ? chosen.map(toText) : []
      const concerns = [
        ...(certain.length > 0 ? joinFields('kycData', certain) : []),
        ...targets.filter(({value}) => values.includes(value)).flatMap((target) => target.concerns),
      ]
      const parts = listParts(type).filter(({paths}) =>
        paths.some((path) => concerns.flat().some((concern) => isAtOrBelow(concern, path))),
      )
      return {parts, concerns}
    },
  }
}

function createSupportError(issues: readonly Issue[]): SvcError {
  const codes = joinCodes(issues)
  return new SvcError({
    error: 'SUPPORT_NEEDED',
    kind: 'endedBadly',
    message: issues.every(isForSupport)
      ? `Only support can resolve ${codes}; nothing was sent`
      : `Nothing was selected for correction${codes && ` for ${codes}`}; nothing was sent`,
    hint: 'Contact the service’s support with the customer id, the code and the time, and without personal data',
  })
}

// Of a body, only these paths: nothing else may be sent.
const keepPaths = (paths: readonly string[], body: Body): Body =>
  paths.reduce<Body>((kept, path) => {
    const value = getValue(body, path)
    return value === undefined ? kept : withValue(kept, path, value)
  }, {})

const isKnownPart = (part: Part, known: Body) => part.paths.some((path) => getValue(known, path) !== undefined)

// Codes name fields without the index of a document.
const toFieldPath = ({path}: Question) => toSubject(path).replaceAll(/(?<=\.documents)\[\d+\]/g, '')

const isConcerned = (question: Question, concerns: readonly string[]) =>
  concerns.some((concern) => isAtOrBelow(toFieldPath(question), concern))

const isImage = (concern: string) => concern.endsWith('Image')

// If a list has no item that a code names, such as a proof of address, one more item is asked for. A document is recognized by its
// images. One of them is enough: a passport has no back.
function findLackingLists(questions: readonly Question[], {concerns}: Correction): Question[] {
  const isAsked = (concern: string) => questions.some((question) => isConcerned(question, [concern]))
  const isLacking = (list: Question) =>
    concerns.some((fields) => {
      const own = fields.filter((concern) => concern.startsWith(`${toFieldPath(list)}.`))
      const telling = own.some(isImage) ? own.filter(isImage) : own
      return telling.length > 0 && !telling.some(isAsked)
    })
  return questions.filter((question) => isUnsent(question.path) && question.kind === 'text' && isLacking(question))
}

// The questions of parts that were sent before and that no issue concerns. What is required and missing is asked all the same, and a
// file that is no longer there.
async function findCarriedOver(
  start: Body,
  form: ReviewedForm,
  correction: Correction,
  known: Body,
): Promise<Set<string>> {
  const {parts, concerns} = correction
  const questions = form.questions(start)
  const answered = await findAnswered(start, form)
  const lacking = findLackingLists(questions, correction)
  const knownParts = parts.filter((part) => isKnownPart(part, known))
  const isMissing = ({path, isRequired}: Question) =>
    !isUnsent(path) && !answered.has(path) && (isRequired || getValue(start, path) !== undefined)
  const isCarriedOver = (question: Question) =>
    knownParts.some((part) => isOfPart(question.path, part)) &&
    !isMissing(question) &&
    !isConcerned(question, concerns.flat()) &&
    !lacking.includes(question)
  return new Set(questions.filter(isCarriedOver).map(({path}) => path))
}

// Of an address, a national ID or a list that svc does not know, the service takes only all of it.
const wholeNotice =
  'An address, a national ID or a list is sent as a whole and replaces what was sent before: enter all of it.'

function printIntroduction(parts: readonly Part[], known: Body): void {
  printText(`To correct: ${parts.map(({label}) => label).join('; ')}.`)
  if (parts.some((part) => part.isCompound && !isKnownPart(part, known))) printText(wholeNotice)
  if (parts.some((part) => isKnownPart(part, known))) {
    printText('What you sent before is used for the rest: the review shows it, and you can change it there.')
  }
}

type FixedCustomer = LooseCustomer & {customerId: string}

// Returns the error of the command if there is nothing to correct here.
export async function fixCustomer<T>(customer: FixedCustomer, sender: Sender<T>): Promise<T | SvcError> {
  const {caller, flags} = sender
  const {customerId} = customer
  const issues = readIssues(customer.verificationIssues)
  printIssues(customer, issues)
  if (issues.length > 0 && issues.every(isForSupport)) return createSupportError(issues)
  const type = findCustomerType(customer.customerType)
  // What was sent before, as far as svc knows it. It is carried over, and only what the issues are about is asked.
  const known = flags['no-draft'] ? {} : (readAnswers(caller, customerId).sent ?? {})
  const {questions, read} = planCorrection(type, issues, known)
  const choices = questions.map(({path}) => path)
  const owner = {customerId, command: ['customers', 'fix', customerId], caller}
  const draft = await openDraft(owner, {}, flags)
  const buildQuestions = (body: Body): Question[] => {
    const correction = read(body)
    const all = buildPartQuestions(type, correction.parts, body)
    const lacking = findLackingLists(all, correction)
    return all.map((question) => (lacking.includes(question) ? addOneMore(question) : question))
  }
  const formParts = {
    schema: customerPatch,
    questions: (body: Body) => [...questions, ...buildQuestions(body)],
    complete: (body: Body) =>
      keepPaths([...choices, ...read(body).parts.flatMap(({paths}) => paths)], copyAddresses(body)),
    isWhole: false,
    sendLabel: 'Send the correction; verification starts again',
  }
  const form = createForm(formParts, draft, sender)
  const start = await askForm(
    {...draft.body, ...replaceParts(known, draft.body)},
    {...form, questions: () => questions},
  )
  const correction = read(start)
  if (correction.parts.length === 0) return createSupportError(issues)
  printIntroduction(correction.parts, known)
  printText(getKeysHelp(flags))
  const carriedOver = await findCarriedOver(start, form, correction, known)
  const passed = new Set([...carriedOver, ...choices, ...(draft.passed ?? [])])
  return completeForm(start, form, draft, passed, sender)
}
