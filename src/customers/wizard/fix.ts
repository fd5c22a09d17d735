// The wizard of `svc customers fix`: the form of a submission, limited to what the issues concern.
import {askForm, findAnswered} from '../../cli/wizard/ask-form.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Question, type ReviewedForm, isUnsent} from '../../cli/wizard/question.ts'
import {customerPatch} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import {type Body, getValue, withValue} from '../../values/body-paths.ts'
import {quoteForShell} from '../../values/text.ts'
import {readAnswers, replaceParts} from '../answers.ts'
import {type Correction, planCorrection} from './correction.ts'
import {getKeysHelp, openDraft} from './draft.ts'
import {type Issue, isForSupport, joinCodes, printIssues, readIssues} from './issues.ts'
import {
  type Part,
  addOneMore,
  buildPartQuestions,
  copyAddresses,
  findCustomerType,
  isAtOrBelow,
  isOfPart,
  toSubject,
} from './submission.ts'
import {type Sender, completeForm, createForm} from './submit.ts'

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

// The file that verification had when it raised the issue is not sent again without a word.
export function warnOfSentFile(question: Question, known: Body, concerns: readonly string[]): Question {
  const sent = getValue(known, question.path)
  if (!question.isFile || sent === undefined || !isConcerned(question, concerns)) return question
  const warn: Question['warn'] = (value) =>
    value === sent ? 'Verification had this file already: choose another, or replace it first' : undefined
  return {...question, warn}
}

// A list without what a code names, such as a proof of address, is asked for one more item.
function findLackingLists(questions: readonly Question[], concerns: readonly string[]): Question[] {
  const open = concerns.filter((concern) => !questions.some((question) => isConcerned(question, [concern])))
  return questions.filter(
    (question) =>
      isUnsent(question.path) &&
      question.kind === 'text' &&
      open.some((concern) => concern.startsWith(`${toFieldPath(question)}.`)),
  )
}

// The questions of parts that were sent before and that no issue concerns. What is required and missing is asked all the same, and a
// file that is no longer there.
async function findCarriedOver(
  start: Body,
  form: ReviewedForm,
  {parts, concerns}: Correction,
  known: Body,
): Promise<Set<string>> {
  const questions = form.questions(start)
  const answered = await findAnswered(start, form)
  const lacking = findLackingLists(questions, concerns)
  const knownParts = parts.filter((part) => isKnownPart(part, known))
  const isMissing = ({path, isRequired}: Question) =>
    !isUnsent(path) && !answered.has(path) && (isRequired || getValue(start, path) !== undefined)
  const isCarriedOver = (question: Question) =>
    knownParts.some((part) => isOfPart(question.path, part)) &&
    !isMissing(question) &&
    !isConcerned(question, concerns) &&
    !lacking.includes(question)
  return new Set(questions.filter(isCarriedOver).map(({path}) => path))
}

// Of an address, a national ID or a list that svc does not know, the service takes only all of it.
const wholeNotice =
  'An address, a national ID or a list is sent as a whole and replaces what was sent before: enter all of it.'

function printIntroduction(parts: readonly Part[], known: Body, {customerId, verificationLink}: FixedCustomer): void {
  if (verificationLink) {
    printText(`The customer can correct it in the hosted form instead: \`svc open ${quoteForShell(customerId)}\`.`)
  }
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
  await printIssues(customer, issues)
  if (issues.length > 0 && issues.every(isForSupport)) return createSupportError(issues)
  const type = findCustomerType(customer.customerType)
  // What was sent before, as far as svc knows it. It is carried over, and only what the issues are about is asked.
  const known = flags['no-draft'] ? {} : (readAnswers(caller, customerId).sent ?? {})
  const {questions, read} = planCorrection(type, issues, known)
  const choices = questions.map(({path}) => path)
  const owner = {customerId, command: `customers fix ${quoteForShell(customerId)}`, caller}
  const draft = await openDraft(owner, {}, flags)
  const buildQuestions = (body: Body): Question[] => {
    const {parts, concerns} = read(body)
    const all = buildPartQuestions(type, parts, body)
    const lacking = findLackingLists(all, concerns)
    return all
      .map((question) => (lacking.includes(question) ? addOneMore(question) : question))
      .map((question) => warnOfSentFile(question, known, concerns))
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
  printIntroduction(correction.parts, known, customer)
  printText(getKeysHelp(flags))
  const carriedOver = await findCarriedOver(start, form, correction, known)
  const passed = new Set([...carriedOver, ...choices, ...(draft.passed ?? [])])
  return completeForm(start, form, draft, passed, sender)
}
