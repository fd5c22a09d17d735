// The wizards that create a customer or submit its verification data.
import type {z} from 'zod'
import {isAllowedField, rejectProblems} from '../../cli/body/reject-problems.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askForm} from '../../cli/wizard/ask-form.ts'
import {type Objection, type Question, type ReviewedForm, completeBody} from '../../cli/wizard/question.ts'
import {toQuestion} from '../../cli/wizard/questions.ts'
import {type Send, reviewAnswers} from '../../cli/wizard/review.ts'
import {customerCreate, customerPatch} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import type {Problem} from '../../contract/problems.ts'
import {createFields} from '../../forms/fields.ts'
import {dataFields} from '../../forms/verification.ts'
import {type Caller, describeService} from '../../profiles/caller.ts'
import {type Body, getValue, withValue} from '../../values/body-paths.ts'
import {newCustomer} from '../answers.ts'
import {findProblemsExceptFiles, findRefusals, limitToCorrection} from '../check-body.ts'
import {maskPersonalData} from '../mask-personal-data.ts'
import {acceptSample, printSampleHint} from './ask-document.ts'
import {type DraftFlags, type OpenedDraft, getKeysHelp, openDraft} from './draft.ts'
import {buildSubmission, copyAddresses, findCustomerType, isAtOrBelow, toSubject, typeQuestion} from './submission.ts'

export interface WizardFlags extends DraftFlags {
  'dry-run'?: boolean | undefined
  'allow-unknown-fields'?: boolean | undefined
  quiet?: boolean | undefined
}

// Where the data is sent. Shown before sending, so that nobody takes the live service for the sandbox.
export type Destination = Pick<Caller, 'baseUrl' | 'label' | 'environment' | 'service' | 'profileName'>

const lockNotice = 'Data sent for verification is locked until verification has a result.'

// The question about a field, else the first one about a part of it, or about what it is a part of.
function findQuestion(field: string, questions: readonly Question[]): Question | undefined {
  const asked = questions.filter(({isSettled}) => !isSettled)
  const find = (isMatch: (subject: string) => boolean) => asked.find(({path}) => isMatch(toSubject(path)))
  return (
    find((subject) => subject === field) ??
    find((subject) => isAtOrBelow(subject, field)) ??
    find((subject) => isAtOrBelow(field, subject))
  )
}

interface FormParts extends Pick<ReviewedForm, 'questions' | 'complete' | 'sendLabel'> {
  // Whether it is all that verification needs.
  isWhole: boolean
}

// What the forms have in common.
export function createForm(
  schema: z.ZodType,
  draft: OpenedDraft,
  flags: WizardFlags,
  caller: Destination | undefined,
  form: FormParts,
): ReviewedForm {
  const {questions, complete, sendLabel, isWhole} = form
  const isDryRun = flags['dry-run']
  const allowsUnknown = flags['allow-unknown-fields']
  return {
    questions: (body) => questions(body).map(acceptSample(caller)),
    complete,
    validate: (body): Problem[] =>
      findProblemsExceptFiles(schema, body).filter((problem) => !allowsUnknown || !isAllowedField(problem)),
    draft,
    mask: (body) => maskPersonalData(body, schema),
    objections: (answers): Objection[] => {
      const body = completeBody(answers, form)
      const found = findRefusals(body)
      return (isWhole ? found : limitToCorrection(found, body)).map(({reason, path}) => ({
        message: `${reason}.`,
        question: findQuestion(path, questions(answers)),
      }))
    },
    sendLabel: isDryRun ? 'Show what would be sent' : sendLabel,
    remarks: ({kycData, kybData}) => [
      ...((kycData ?? kybData) ? [lockNotice] : []),
      ...(isDryRun || !caller ? [] : [`It will be sent to ${describeService(caller)}.`]),
    ],
  }
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

async function runForm<T>(
  schema: z.ZodType,
  draft: OpenedDraft,
  flags: WizardFlags,
  caller: Destination | undefined,
  parts: FormParts,
  send: Send<T>,
): Promise<T> {
  printText(getKeysHelp(flags))
  printSampleHint(caller)
  const form = createForm(schema, draft, flags, caller, parts)
  rejectUnfixable(draft.body, form)
  const answers = await reviewAnswers(await askForm(draft.body, form, draft.passed), form)
  const reply = await draft.send(
    () => send(completeBody(answers, form)),
    () => !flags['dry-run'],
  )
  const hint = draft.describe()
  if (hint !== undefined && !flags.quiet) printText(hint)
  return reply
}

function buildCreationQuestions(body: Body): Question[] {
  const own = createFields(customerCreate, '').map(toQuestion)
  const pick = (...paths: string[]) => own.filter(({path}) => paths.includes(path))
  const type = findCustomerType(body['customerType'])
  const key = dataFields[type]
  const hasData: Question = {
    path: `$${key}`,
    label: 'Enter the verification data now? If not, the customer fills in a form',
    kind: 'yes-no',
    isRequired: true,
    suggestion: true,
    isAnswered: (answers) => getValue(answers, key) !== undefined,
  }
  const isDataGiven = getValue(body, hasData.path) ?? getValue(body, key) !== undefined
  const addHeading = (question: Question): Question => ({...question, heading: 'Customer'})
  return [
    addHeading(typeQuestion),
    ...pick('email').map(addHeading),
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

// Asks for what flags and files leave open.
export async function runCreationWizard<T>(
  given: Body,
  flags: WizardFlags,
  {caller, send}: {caller?: Destination | undefined; send: Send<T>},
): Promise<T> {
  const draft = await openDraft({customerId: newCustomer, command: 'customers create', caller}, given, flags)
  const form: FormParts = {
    questions: buildCreationQuestions,
    complete: completeCreation,
    isWhole: true,
    sendLabel: 'Create the customer',
  }
  return runForm(customerCreate, draft, flags, caller, form, send)
}

// Asks for all that verification needs of a customer that has submitted nothing yet.
export async function runUpdateWizard<T>(
  {customerId, customerType}: LooseCustomer & {customerId: string},
  flags: WizardFlags,
  {caller, send}: {caller: Destination; send: Send<T>},
): Promise<T> {
  const draft = await openDraft({customerId, command: `customers update ${customerId}`, caller}, {}, flags)
  const form: FormParts = {
    questions: (body) => buildSubmission(findCustomerType(customerType), body),
    complete: copyAddresses,
    isWhole: true,
    sendLabel: 'Send it for verification',
  }
  return runForm(customerPatch, draft, flags, caller, form, send)
}
