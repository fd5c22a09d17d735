// Talks a person through creating a customer or giving its verification data, up to the body that is to be sent.
import {customerCreate, customerPatch, customerTypes} from '../../contract/customers.ts'
import type {z} from 'zod'
import {Declined, SvcError} from '../../errors.ts'
import {readCustomerBody} from '../body.ts'
import {findProblemsExceptFiles} from '../validate-body.ts'
import {maskPersonalData} from '../mask-personal-data.ts'
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {buildKybParts} from './business-parts.ts'
import {runWizard, askUntilAnswered, findAnsweredSteps} from '../../cli/wizard/run-wizard.ts'
import {buildCreationSteps, typeChoices} from './creation-steps.ts'
import {type Drafts, checkDraftFile, openDrafts} from '../../cli/wizard/drafts.ts'
import {buildKycParts} from './person-parts.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {askSelect} from '../../cli/wizard/select-prompts.ts'
import {keysHelp} from '../../cli/wizard/navigation.ts'
import {type Answers, type Part, isFork, getStepKey, listSteps} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {reviewAnswers} from '../../cli/wizard/review.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askMultiSelect} from '../../cli/wizard/multi-select.ts'

export interface WizardFlags {
  save?: string | undefined
  resume?: string | undefined
  'dry-run': boolean
  quiet?: boolean | undefined
}

// Where it goes, so that nobody takes live for the sandbox.
export interface Destination {
  baseUrl: string
  label: string
  environment: string
}

export interface WizardResult {
  // What a file with the same values would hold, documents as paths.
  body: Body
  // Sends it; what cannot be sent is kept as a draft.
  sendOrSaveDraft: <T>(send: () => Promise<T>) => Promise<T>
}

// What no question can cure, such as a field that the interface does not have: a draft with it is damaged.
function rejectUnfixable(answers: Answers, {steps, validate: problems, mask: hide}: ReviewedWizard): void {
  const curable = steps(answers).map(getStepKey)
  const isCurable = (path: string) => curable.some((key) => path === key || path.startsWith(`${key}[`))
  const incurable = problems(answers.body).filter(({path}) => !isCurable(path))
  rejectProblems(incurable, hide?.(answers.body) ?? {})
}

// Whoever wrote the draft went past everything before its last answer, so what has none there was skipped.
function findSkippedSteps(draft: Body, {steps}: ReviewedWizard): string[] {
  const answers = {body: draft, forks: {}}
  const all = steps(answers)
  const last = all.findLastIndex((step) => !isFork(step) && getValue(draft, step.path) !== undefined)
  return all.filter((step, index) => index < last && (isFork(step) || !step.isRequired)).map(getStepKey)
}

// All questions, but those that the draft or what was given has settled.
export async function askOpenSteps(start: Answers, wizard: ReviewedWizard, draft: Body | undefined): Promise<Answers> {
  rejectUnfixable(start, wizard)
  const passed = await findAnsweredSteps(start, wizard)
  for (const key of draft ? findSkippedSteps(draft, wizard) : []) passed.add(key)
  return runWizard(start, wizard, passed)
}

async function runReviewedWizard(
  start: Answers,
  wizard: ReviewedWizard,
  draft: Body | undefined,
  {quiet}: WizardFlags,
): Promise<WizardResult> {
  const {body} = await reviewAnswers(await askOpenSteps(start, wizard, draft), wizard)
  return {body, sendOrSaveDraft: (send) => sendOrSaveDraft(send, body, wizard.drafts, quiet)}
}

// Sends; what cannot be sent is kept as a draft.
export async function sendOrSaveDraft<T>(
  send: () => Promise<T>,
  body: Body,
  drafts: Drafts,
  isQuiet = false,
): Promise<T> {
  try {
    const sent = await send()
    const file = drafts.getSavedFile()
    if (file !== undefined && !isQuiet) printText(`${file} holds personal data: remove it when you need it no longer.`)
    return sent
  } catch (error) {
    // Who leaves has said what becomes of it; who only says no has not.
    const isLeft = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
    if (error instanceof SvcError && !isLeft) await offerDraft(body, drafts)
    else await drafts.saveOnExit(body)
    throw error
  }
}

// What went wrong is told in any case, also to whoever turns away from the question whether to keep a draft.
async function offerDraft(body: Body, drafts: Drafts): Promise<void> {
  try {
    await drafts.offerToSave(body)
  } catch {
    printText('It was not kept.')
  }
}

const readDraft = async (schema: z.ZodType, {resume}: WizardFlags): Promise<Body | undefined> =>
  resume === undefined ? undefined : readCustomerBody(schema, {file: resume})

const getSendLabel = ({'dry-run': isDryRun}: WizardFlags, words: string) =>
  isDryRun ? 'Show what would be sent' : words

const describeDestination = ({'dry-run': isDryRun}: WizardFlags, destination: Destination | undefined): string[] =>
  isDryRun || !destination
    ? []
    : [`It goes to ${destination.baseUrl} (${destination.label}, ${destination.environment}).`]

const lockNotice = 'What is sent for verification is locked until it is decided.'

function startWizard(flags: WizardFlags): void {
  checkDraftFile(flags.save, flags.resume)
  printText(keysHelp)
}

// Asks for what the flags and files leave open.
export async function runCreationWizard(
  given: Body,
  flags: WizardFlags,
  destination?: Destination,
): Promise<WizardResult> {
  startWizard(flags)
  return runReviewedWizard(
    {body: given, forks: {}},
    {
      steps: buildCreationSteps,
      validate: (body) => findProblemsExceptFiles(customerCreate, body),
      drafts: openDrafts(flags.save ?? flags.resume, 'customers create'),
      mask: (body) => maskPersonalData(body, customerCreate),
      sendLabel: getSendLabel(flags, 'Create the customer'),
      remarks: ({body}) => [
        ...((body['kycData'] ?? body['kybData']) ? [lockNotice] : []),
        ...describeDestination(flags, destination),
      ],
    },
    await readDraft(customerCreate, flags),
    flags,
  )
}

export interface UpdatedCustomer {
  customerId: string
  customerStatus?: unknown
  customerType?: unknown
}

const partsByType = {INDIVIDUAL: () => buildKycParts(), BUSINESS: () => buildKybParts()} as const

type CustomerType = (typeof customerTypes)[number]

const isKnownType = (type: unknown): type is CustomerType => customerTypes.some((each) => each === type)

// A list replaces the one before it, and nothing that was submitted can be read back.
const listsReplacedNotice = 'Documents and people replace those that were submitted before, so give all of them.'

// The parts that a draft has begun are chosen already.
async function chooseParts(parts: readonly Part[], {body}: Answers, isFirst: boolean): Promise<readonly Part[]> {
  if (isFirst) {
    const isWhole = await askSelect('What do you want to submit?', [
      {name: 'Everything that verification asks for', value: true},
      {name: 'Only some parts', value: false},
    ])
    if (isWhole) return parts
  }
  const isBegun = ({steps}: Part) =>
    steps({body, forks: {}}).some((step) => !isFork(step) && getValue(body, step.path) !== undefined)
  const choices = parts.map((part) => ({name: part.label, value: part}))
  return askMultiSelect('Which parts do you want to give?', choices, parts.filter(isBegun))
}

// Whoever chose a part wants to give it, so whether there is one is not asked.
function acceptFirstForks(parts: readonly Part[], answers: Answers): Answers {
  const forks = parts.map(({steps}) => steps(answers)[0]).filter((step) => step !== undefined && isFork(step))
  return {...answers, forks: Object.fromEntries(forks.map((step) => [getStepKey(step), true]))}
}

// Asks which parts of the data to give, and for them.
export async function runUpdateWizard(
  given: Body,
  customer: UpdatedCustomer,
  flags: WizardFlags,
  destination: Destination,
): Promise<WizardResult> {
  startWizard(flags)
  const start: Answers = {body: given, forks: {}}
  const isFirst = customer.customerStatus === 'CREATED'
  const wizard: ReviewedWizard = {
    steps: () => [],
    validate: (body) => findProblemsExceptFiles(customerPatch, body),
    drafts: openDrafts(flags.save ?? flags.resume, `customers update ${customer.customerId}`),
    mask: (body) => maskPersonalData(body, customerPatch),
    sendLabel: getSendLabel(flags, 'Send it for verification'),
    remarks: () => [lockNotice, ...describeDestination(flags, destination)],
  }
  const type = isKnownType(customer.customerType)
    ? customer.customerType
    : await askUntilAnswered(() => askSelect('A person or a business?', typeChoices), start, wizard)
  const parts = partsByType[type]()
  const chosen = await askUntilAnswered(() => chooseParts(parts, start, isFirst), start, wizard)
  if (!isFirst && chosen.some(({name}) => /documents|associatedPersons/i.test(name))) printText(listsReplacedNotice)
  const answers = chosen === parts ? start : acceptFirstForks(chosen, start)
  const steps = (each: Answers) => listSteps(chosen, each)
  return runReviewedWizard(answers, {...wizard, steps}, await readDraft(customerPatch, flags), flags)
}
