// The wizards that create a customer or submit its verification data.
import type {z} from 'zod'
import {isAllowedField, rejectProblems} from '../../cli/body/reject-problems.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askForm} from '../../cli/wizard/ask-form.ts'
import {AskAgain, type Question, type ReviewedForm, completeBody} from '../../cli/wizard/question.ts'
import {toQuestion} from '../../cli/wizard/questions.ts'
import {type Send, reviewAnswers} from '../../cli/wizard/review.ts'
import {customerCreate, customerPatch} from '../../contract/customers.ts'
import {findLabels} from '../../contract/labels.ts'
import {type LooseCustomer, readCode} from '../../contract/loose.ts'
import type {Problem} from '../../contract/problems.ts'
import {customerTypes} from '../../contract/vocabulary.ts'
import {SvcError} from '../../errors.ts'
import {createFields} from '../../forms/fields.ts'
import {dataFields} from '../../forms/verification.ts'
import {type Caller, describeService} from '../../profiles/caller.ts'
import {type Body, getValue, withValue} from '../../values/body-paths.ts'
import {newCustomer} from '../answers.ts'
import {findProblemsExceptFiles, maskPersonalData} from '../validate-body.ts'
import {acceptSample, printSampleHint} from './ask-document.ts'
import {type DraftFlags, type KeptDraft, type OpenedDraft, getKeysHelp, withDraft} from './draft.ts'
import {listObjections} from './objections.ts'
import {
  type CustomerType,
  type Part,
  acceptParts,
  buildPartQuestions,
  buildWholeQuestions,
  copyAddresses,
  findCustomerType,
  submissions,
} from './parts.ts'

export interface WizardFlags extends DraftFlags {
  'dry-run'?: boolean | undefined
  'allow-unknown-fields'?: boolean | undefined
  quiet?: boolean | undefined
}

// Where the data is sent. Shown before sending, so that nobody takes the live service for the sandbox.
export type Destination = Pick<Caller, 'baseUrl' | 'label' | 'environment' | 'service' | 'profileName'>

const lockNotice = 'Data sent for verification is locked until verification has a result.'

// What the forms have in common.
export function createForm(
  schema: z.ZodType,
  draft: KeptDraft,
  flags: WizardFlags,
  caller: Destination | undefined,
  form: Pick<ReviewedForm, 'questions' | 'complete' | 'sendLabel'> & {isWhole: (body: Body) => boolean},
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
    objections: (body) => listObjections(questions(body), completeBody(body, form), isWhole(body)),
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
  form: ReviewedForm,
  {draft, stored, body}: OpenedDraft,
  {quiet, 'dry-run': isDryRun}: WizardFlags,
  send: Send<T>,
): Promise<T> {
  rejectUnfixable(body, form)
  const answers = await reviewAnswers(await askForm(body, form, stored && new Set(stored.passed)), form)
  const reply = await draft.send(
    () => send(completeBody(answers, form)),
    () => !isDryRun,
  )
  const hint = draft.describe()
  if (hint !== undefined && !quiet) printText(hint)
  return reply
}

const typeLabels: Record<CustomerType, string> = {INDIVIDUAL: 'A person', BUSINESS: 'A business'}

// Asked where the service does not say it, too.
export const createTypeQuestion = (path: string): Question => ({
  path,
  label: findLabels(customerCreate)['customerType']?.label ?? '',
  kind: 'one-of',
  isRequired: true,
  choices: customerTypes.map((value) => ({name: typeLabels[value], value})),
})

// Who knows whether an email is taken.
export interface EmailCheck {
  // Asks about it. Returns whether the email is to stay.
  confirmEmail(body: Body): Promise<boolean>
}

// An email that is taken is asked about at once, not after all the other questions. If the service cannot say it now, it is asked
// again before the customer is sent.
const confirmEmail = (check: EmailCheck | undefined) => async (body: Body) => {
  const isKept = await check?.confirmEmail(body).catch((error: unknown) => {
    if (error instanceof SvcError && error.kind !== 'interrupted') return true
    throw error
  })
  if (isKept === false) throw new AskAgain('Another email, then.')
  return body
}

function buildCreationQuestions(body: Body, check?: EmailCheck): Question[] {
  const own = createFields(customerCreate, '').map(toQuestion)
  const pick = (...paths: string[]) => own.filter(({path}) => paths.includes(path))
  const type = findCustomerType(body['customerType']) ?? 'INDIVIDUAL'
  const key = dataFields[type]
  const hasData: Question = {
    path: `$.has.${key}`,
    label: 'Enter the verification data now? If not, the customer fills in a form',
    kind: 'yes-no',
    isRequired: true,
    suggestion: true,
    isAnswered: (answers) => getValue(answers, key) !== undefined,
  }
  const isDataGiven = getValue(body, hasData.path) ?? getValue(body, key) !== undefined
  const addHeading = (question: Question): Question => ({...question, heading: 'Customer'})
  return [
    addHeading(createTypeQuestion('customerType')),
    ...pick('email').map((question) => addHeading({...question, afterAnswer: confirmEmail(check)})),
    addHeading(hasData),
    // The names in the data name the customer as well, so that they are asked for once.
    ...(isDataGiven
      ? buildWholeQuestions(body, type)
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
export function runCreationWizard<T>(
  given: Body,
  flags: WizardFlags,
  {caller, creation, send}: {caller?: Destination | undefined; creation?: EmailCheck | undefined; send: Send<T>},
): Promise<T> {
  return withDraft({customerId: newCustomer, command: 'customers create', caller}, given, flags, (opened) => {
    printText(getKeysHelp(flags))
    printSampleHint(caller)
    const form = createForm(customerCreate, opened.draft, flags, caller, {
      questions: (body) => buildCreationQuestions(body, creation),
      complete: completeCreation,
      isWhole: () => true,
      sendLabel: 'Create the customer',
    })
    return runForm(form, opened, flags, send)
  })
}

// The service replaces a list as a whole, and submitted data cannot be read back.
const listsReplacedNotice = 'Documents and people replace those submitted before, so enter all of them.'

const isList = ({name}: Part) => /documents|associatedPersons/i.test(name)

const everythingPath = '$.everything'
export const partsPath = '$.parts'

const findChosen = (body: Body, parts: readonly Part[]): readonly Part[] => {
  const names = getValue(body, partsPath)
  return Array.isArray(names) ? parts.filter(({name}) => names.includes(name)) : []
}

function createPartsQuestion(parts: readonly Part[], isFirst: boolean): Question {
  return {
    path: partsPath,
    label: 'Which parts do you want to enter?',
    kind: 'several',
    isRequired: true,
    choices: parts.map(({name, label}) => ({name: label, value: name})),
    afterAnswer: (body) => {
      const chosen = findChosen(body, parts)
      if (!isFirst && chosen.some(isList)) printText(listsReplacedNotice)
      return acceptParts(body, chosen)
    },
  }
}

function buildUpdateQuestions(body: Body, known: CustomerType | undefined, isFirst: boolean): Question[] {
  const type = known ?? findCustomerType(getValue(body, '$.type'))
  const typeQuestion = known === undefined ? [createTypeQuestion('$.type')] : []
  if (type === undefined) return typeQuestion
  const {parts} = submissions[type]
  const everything: Question = {
    path: everythingPath,
    label: 'What do you want to submit?',
    kind: 'one-of',
    isRequired: true,
    choices: [
      {name: 'Everything that verification asks for', value: 'everything'},
      {name: 'Only some parts', value: 'parts'},
    ],
  }
  const extent = isFirst ? getValue(body, everythingPath) : 'parts'
  return [
    ...typeQuestion,
    ...(isFirst ? [everything] : []),
    ...(extent === 'everything' ? buildWholeQuestions(body, type) : []),
    ...(extent === 'parts'
      ? [createPartsQuestion(parts, isFirst), ...buildPartQuestions(findChosen(body, parts), body)]
      : []),
  ]
}

type UpdatedCustomer = Pick<LooseCustomer, 'customerStatus' | 'customerType'> & {customerId: string}

// Asks which parts of the data to enter, and then for their fields.
export function runUpdateWizard<T>(
  given: Body,
  {customerId, customerStatus, customerType}: UpdatedCustomer,
  flags: WizardFlags,
  {caller, send}: {caller: Destination; send: Send<T>},
): Promise<T> {
  const command = `customers update ${customerId}`
  const isFirst = readCode(customerStatus) === 'CREATED'
  return withDraft({customerId, command, caller}, given, flags, (opened) => {
    printText(getKeysHelp(flags))
    printSampleHint(caller)
    const form = createForm(customerPatch, opened.draft, flags, caller, {
      questions: (body) => buildUpdateQuestions(body, findCustomerType(customerType), isFirst),
      complete: copyAddresses,
      isWhole: (body) => getValue(body, everythingPath) === 'everything',
      sendLabel: 'Send it for verification',
    })
    return runForm(form, opened, flags, send)
  })
}
