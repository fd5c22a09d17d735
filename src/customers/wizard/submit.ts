// The wizards that create a customer or submit its verification data.
import type {z} from 'zod'
import {omitAllowed, rejectProblems} from '../../cli/body/reject-problems.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askForm} from '../../cli/wizard/ask-form.ts'
import {type Question, type ReviewedForm, completeBody} from '../../cli/wizard/question.ts'
import {toQuestion} from '../../cli/wizard/questions.ts'
import {type Send, reviewAnswers, sendOrRevise} from '../../cli/wizard/review.ts'
import {customerCreate, customerPatch} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {createFields} from '../../forms/fields.ts'
import {dataFields} from '../../forms/verification.ts'
import {type Caller, describeService} from '../../profiles/caller.ts'
import {type Body, getValue, isAtOrBelow, withValue} from '../../values/body-paths.ts'
import {newCustomer} from '../answers.ts'
import {findProblemsExceptFiles, findRefusals} from '../check-body.ts'
import {maskPersonalData} from '../mask-personal-data.ts'
import {acceptSample} from './ask-document.ts'
import type {SubmissionFlags} from '../flags.ts'
import {type OpenedDraft, getKeysHelp, openDraft} from './draft.ts'
import {buildSubmission, copyAddresses, findCustomerType, toSubject} from './submission.ts'

// Who sends the answers, and how.
export interface Sender<T> {
  caller: Caller
  flags: SubmissionFlags
  send: Send<T>
}

const lockNotice = 'Data sent for verification is locked until verification has a result.'

// The first question about a field or a part of it, else the one about what it is a part of.
function findQuestion(field: string, questions: readonly Question[]): Question | undefined {
  const asked = questions.filter(({isSettled}) => !isSettled)
  return (
    asked.find(({path}) => isAtOrBelow(toSubject(path), field)) ??
    asked.find(({path}) => isAtOrBelow(field, toSubject(path)))
  )
}

interface FormParts extends Pick<ReviewedForm, 'questions' | 'complete' | 'sendLabel'> {
  schema: z.ZodType
  // Whether it is all that verification needs.
  isWhole: boolean
}

export function createForm<T>(
  {schema, questions, complete, sendLabel, isWhole}: FormParts,
  draft: OpenedDraft,
  {caller, flags}: Sender<T>,
): ReviewedForm {
  const {'dry-run': isDryRun, 'allow-unknown-fields': allowsUnknownFields} = flags
  return {
    questions: (body) => questions(body).map(acceptSample(caller)),
    complete,
    validate: (body) => omitAllowed(findProblemsExceptFiles(schema, body), {allowsUnknownFields}),
    draft,
    mask: (body) => maskPersonalData(body, schema),
    findRefusals: (answers) =>
      findRefusals(completeBody(answers, {complete}))
        .filter(({isLeftOut}) => isWhole || !isLeftOut)
        .map((refusal) => ({...refusal, path: findQuestion(refusal.path, questions(answers))?.path ?? refusal.path})),
    sendLabel: isDryRun ? 'Show what would be sent' : sendLabel,
    // Where it is sent, so that nobody takes the live service for the sandbox.
    remarks: ({kycData, kybData}) => [
      ...((kycData ?? kybData) ? [lockNotice] : []),
      ...(isDryRun ? [] : [`It will be sent to ${describeService(caller)}.`]),
    ],
  }
}

// Asks all questions but those that were dealt with, and sends what was reviewed.
export async function completeForm<T>(
  start: Body,
  form: ReviewedForm,
  draft: OpenedDraft,
  passed: ReadonlySet<string> | undefined,
  {send}: Sender<T>,
): Promise<T> {
  const answers = await reviewAnswers(await askForm(start, form, passed), form)
  return draft.send(() => sendOrRevise(answers, form, send))
}

// Rejects problems that no question can fix, such as a field that the contract does not have.
function rejectUnfixable(body: Body, form: ReviewedForm): void {
  const paths = form.questions(body).map(({path}) => path)
  const isFixable = (at: string) => paths.some((path) => at === path || at.startsWith(`${path}[`))
  const problems = form.validate(completeBody(body, form))
  rejectProblems(
    problems.filter(({path, isWarning}) => !isWarning && !isFixable(path)),
    form.mask?.(body) ?? {},
  )
}

// Asks for what flags, files and the draft leave open.
async function runForm<T>(
  customer: {customerId: string; command: readonly string[]},
  given: Body,
  parts: Omit<FormParts, 'isWhole'>,
  sender: Sender<T>,
): Promise<T> {
  const draft = await openDraft({...customer, caller: sender.caller}, given, sender.flags)
  printText(getKeysHelp(sender.flags))
  const form = createForm({...parts, isWhole: true}, draft, sender)
  rejectUnfixable(draft.body, form)
  return completeForm(draft.body, form, draft, draft.passed, sender)
}

function buildCreationQuestions(body: Body): Question[] {
  const own = createFields(customerCreate, '').map(toQuestion)
  const pick = (...paths: string[]) => own.filter(({path}) => paths.includes(path))
  const type = findCustomerType(body['customerType'])
  const key = dataFields[type]
  const hasData: Question = {
    path: `$${key}`,
    label: 'Enter the verification data now? If not, the customer uses a form',
    kind: 'yes-no',
    isRequired: true,
    suggestion: true,
    isAnswered: (answers) => getValue(answers, key) !== undefined,
  }
  const isDataGiven = getValue(body, hasData.path) ?? getValue(body, key) !== undefined
  const addHeading = (question: Question): Question => ({...question, heading: 'Customer'})
  return [
    ...pick('customerType', 'email').map(addHeading),
    addHeading(hasData),
    // The names in the data name the customer as well, so that they are asked for once.
    ...(isDataGiven
      ? buildSubmission(type, body)
      : pick(...(type === 'BUSINESS' ? ['businessName'] : ['firstName', 'lastName'])).map(addHeading)),
  ]
}

const statedNames: Readonly<Record<string, string>> = {
  firstName: 'kycData.legalFirstName',
  lastName: 'kycData.legalLastName',
  businessName: 'kybData.businessInfo.legalBusinessName',
}

const completeCreation = (answers: Body) =>
  Object.entries(statedNames).reduce((body, [name, path]) => {
    const stated = getValue(body, path)
    return body[name] !== undefined || stated === undefined ? body : withValue(body, name, stated)
  }, copyAddresses(answers))

export const runCreationWizard = <T>(given: Body, sender: Sender<T>): Promise<T> =>
  runForm(
    {customerId: newCustomer, command: ['customers', 'create']},
    given,
    {
      schema: customerCreate,
      questions: buildCreationQuestions,
      complete: completeCreation,
      sendLabel: 'Create the customer',
    },
    sender,
  )

// Asks for all that verification needs of a customer that has submitted nothing yet.
export const runUpdateWizard = <T>(
  {customerId, customerType}: LooseCustomer & {customerId: string},
  sender: Sender<T>,
): Promise<T> =>
  runForm(
    {customerId, command: ['customers', 'update', customerId]},
    {},
    {
      schema: customerPatch,
      questions: (body) => buildSubmission(findCustomerType(customerType), body),
      complete: copyAddresses,
      sendLabel: 'Send it for verification',
    },
    sender,
  )
