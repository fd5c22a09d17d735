// The wizards that create a customer or submit its verification data.
import type {z} from 'zod'
import {customerCreate, customerPatch} from '../../contract/customers.ts'
import {type LooseCustomer, readCode} from '../../contract/loose.ts'
import type {Problem} from '../../contract/problems.ts'
import {SvcError} from '../../errors.ts'
import {type Caller, describeService} from '../../profiles/caller.ts'
import {isAllowedField} from '../../cli/body/reject-problems.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {askMultiSelect, askSelect} from '../../cli/prompts/ask.ts'
import {printText} from '../../cli/wizard/print.ts'
import {reviewAnswers} from '../../cli/wizard/review.ts'
import {askUntilAnswered} from '../../cli/wizard/run-wizard.ts'
import {
  type Answers,
  AskAgain,
  type Part,
  type Step,
  getStepKey,
  isFork,
  isQuestion,
  listSteps,
} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {newCustomer} from '../answers.ts'
import {findProblemsExceptFiles, maskPersonalData} from '../validate-body.ts'
import {acceptSample, printSampleHint} from './ask-document.ts'
import {type DraftFlags, type OpenedDraft, askOpenSteps, getKeysHelp, sendAnswers, withDraft} from './open-draft.ts'
import {submissions} from './choose-parts.ts'
import {askCustomerType, buildCreationSteps, buildWholeSteps, findCustomerType} from './creation-steps.ts'
import {listObjections} from '../find-refusals.ts'

export interface WizardFlags extends DraftFlags {
  'dry-run': boolean
  'allow-unknown-fields'?: boolean | undefined
  quiet?: boolean | undefined
}

// Where the data is sent. Shown before sending, so that nobody takes the live service for the sandbox.
export type Destination = Pick<Caller, 'baseUrl' | 'label' | 'environment' | 'service' | 'profileName'>

// Sends the same body as a file with these values, with documents as paths.
export type Send<T> = (body: Body) => Promise<T>

async function runSubmissionWizard<T>(
  start: Answers,
  wizard: ReviewedWizard,
  {draft, stored}: OpenedDraft,
  {quiet, 'dry-run': isDryRun}: WizardFlags,
  send: Send<T>,
): Promise<T> {
  const {body} = await reviewAnswers(await askOpenSteps(start, wizard, stored), wizard)
  const reply = await sendAnswers(
    () => send(body),
    draft,
    () => !isDryRun,
  )
  const hint = draft.describe()
  if (hint !== undefined && !quiet) printText(hint)
  return reply
}

const getSendLabel = ({'dry-run': isDryRun}: WizardFlags, label: string) =>
  isDryRun ? 'Show what would be sent' : label

const describeDestination = ({'dry-run': isDryRun}: WizardFlags, destination: Destination | undefined): string[] =>
  isDryRun || !destination ? [] : [`It will be sent to ${describeService(destination)}.`]

const lockNotice = 'Data sent for verification is locked until verification has a result.'

const createValidator =
  (schema: z.ZodType, {'allow-unknown-fields': allowsUnknown}: WizardFlags) =>
  (body: Body): Problem[] =>
    findProblemsExceptFiles(schema, body).filter((problem) => !allowsUnknown || !isAllowedField(problem))

// Who knows whether an email is taken.
export interface EmailCheck {
  // Asks about it. Returns whether the email is to stay.
  confirmEmail(body: Body): Promise<boolean>
}

// An email that is taken is asked about at once, not after all the other questions. If the service cannot say it now, it is asked
// again before the customer is sent.
const confirmEmail =
  (check: EmailCheck | undefined) =>
  (step: Step): Step => {
    if (!check || !isQuestion(step) || step.path !== 'email') return step
    const afterAnswer = async (body: Body) => {
      const isKept = await check.confirmEmail(body).catch((error: unknown) => {
        if (error instanceof SvcError && error.kind !== 'interrupted') return true
        throw error
      })
      if (!isKept) throw new AskAgain('Another email, then.')
      return body
    }
    return {...step, afterAnswer}
  }

// Asks for what flags and files leave open.
export function runCreationWizard<T>(
  given: Body,
  flags: WizardFlags,
  {caller, creation, send}: {caller?: Destination | undefined; creation?: EmailCheck | undefined; send: Send<T>},
): Promise<T> {
  const hasData = ({kycData, kybData}: Body) => Boolean(kycData ?? kybData)
  return withDraft({customerId: newCustomer, command: 'customers create', caller}, given, flags, (opened) => {
    printText(getKeysHelp(flags))
    printSampleHint(caller)
    const wizard: ReviewedWizard = {
      steps: (answers) => buildCreationSteps(answers).map(acceptSample(caller)).map(confirmEmail(creation)),
      validate: createValidator(customerCreate, flags),
      draft: opened.draft,
      mask: (body) => maskPersonalData(body, customerCreate),
      objections: listObjections(buildCreationSteps, {isWhole: true}),
      sendLabel: getSendLabel(flags, 'Create the customer'),
      remarks: ({body}) => [...(hasData(body) ? [lockNotice] : []), ...describeDestination(flags, caller)],
    }
    return runSubmissionWizard({body: opened.body, forks: opened.forks}, wizard, opened, flags, send)
  })
}

// The service replaces a list as a whole, and submitted data cannot be read back.
const listsReplacedNotice = 'Documents and people replace those submitted before, so enter all of them.'

// The parts with values in the body are preselected.
async function chooseParts(parts: readonly Part[], {body}: Answers, isFirst: boolean): Promise<readonly Part[]> {
  if (isFirst) {
    const isEverything = await askSelect('What do you want to submit?', [
      {name: 'Everything that verification asks for', value: true},
      {name: 'Only some parts', value: false},
    ])
    if (isEverything) return parts
  }
  const hasValue = ({steps}: Part) =>
    steps({body, forks: {}}).some((step) => isQuestion(step) && getValue(body, step.path) !== undefined)
  const choices = parts.map((part) => ({name: part.label, value: part}))
  return askMultiSelect('Which parts do you want to enter?', choices, parts.filter(hasValue))
}

// A kept draft knows which parts were chosen.
function findChosenBefore(parts: readonly Part[], context: unknown): readonly Part[] | undefined {
  const names = typeof context === 'object' && context !== null && 'parts' in context ? context.parts : undefined
  const chosen = Array.isArray(names) ? parts.filter(({name}) => names.includes(name)) : []
  return chosen.length > 0 ? chosen : undefined
}

// The choice of a part answers its first fork with yes.
function acceptFirstForks(parts: readonly Part[], answers: Answers): Answers {
  const forks = parts.map(({steps}) => steps(answers)[0]).filter((step) => step !== undefined && isFork(step))
  return {...answers, forks: Object.fromEntries(forks.map((step) => [getStepKey(step), true]))}
}

type UpdatedCustomer = Pick<LooseCustomer, 'customerStatus' | 'customerType'> & {customerId: string}

// Asks which parts of the data to enter, and then for their fields.
export function runUpdateWizard<T>(
  given: Body,
  customer: UpdatedCustomer,
  flags: WizardFlags,
  {caller, send}: {caller: Destination; send: Send<T>},
): Promise<T> {
  const {customerId, customerStatus} = customer
  const command = `customers update ${customerId}`
  return withDraft({customerId, command, caller}, given, flags, async (opened) => {
    const {draft, stored, body, forks} = opened
    const start: Answers = {body, forks}
    printText(getKeysHelp(flags))
    printSampleHint(caller)
    const isFirst = readCode(customerStatus) === 'CREATED'
    const type = findCustomerType(customer.customerType) ?? (await askUntilAnswered(askCustomerType, {draft}))
    const {parts} = submissions[type]
    const chosen =
      findChosenBefore(parts, stored?.context) ??
      (await askUntilAnswered(() => chooseParts(parts, start, isFirst), {draft}))
    draft.setContext({parts: chosen.map(({name}) => name)})
    if (!isFirst && chosen.some(({name}) => /documents|associatedPersons/i.test(name))) printText(listsReplacedNotice)
    const isWhole = chosen.length === parts.length
    const steps = (current: Answers) =>
      (isWhole ? buildWholeSteps(current, type) : listSteps(chosen, current)).map(acceptSample(caller))
    const wizard: ReviewedWizard = {
      steps,
      validate: createValidator(customerPatch, flags),
      draft,
      mask: (data) => maskPersonalData(data, customerPatch),
      objections: listObjections(steps, {isWhole: isFirst && isWhole}),
      sendLabel: getSendLabel(flags, 'Send it for verification'),
      remarks: () => [lockNotice, ...describeDestination(flags, caller)],
    }
    const answers = stored || isWhole ? start : acceptFirstForks(chosen, start)
    return runSubmissionWizard(answers, wizard, opened, flags, send)
  })
}
