// Opens the draft of a customer wizard: offers the one that was kept, and keeps the answers from now on.
import {findCaller} from '../../profiles/caller.ts'
import type {Problem} from '../../contract/problems.ts'
import {isAllowedField, rejectProblems} from '../../cli/body/reject-problems.ts'
import {type Body, getValue, withoutValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {type DraftCaller, type DraftPosition, createDraftScope} from '../../cli/wizard/draft-store.ts'
import type {Drafts} from '../../cli/wizard/drafts.ts'
import {type BodyDraft, openBodyDraft} from '../../cli/wizard/keep-answers.ts'
import {keysHelp, keysHelpWithKeeper} from '../../cli/wizard/navigation.ts'
import {printText} from '../../cli/wizard/print.ts'
import {findAnsweredSteps, findStepsBefore, runWizard} from '../../cli/wizard/run-wizard.ts'
import {type Answers, type Step, getStepKey, isFork, isQuestion} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard, Wizard} from '../../cli/wizard/wizard.ts'
import {Declined, SvcError} from '../../errors.ts'
import {isOwnDraft} from '../draft-owner.ts'

export interface DraftFlags {
  save?: string | undefined
  resume?: string | undefined
  profile?: string | undefined
  'no-draft'?: boolean | undefined
  'allow-unknown-fields'?: boolean | undefined
}

// A correction needs them again, so they are kept longer than those of a payment.
const keysHelpOfCustomers = keysHelpWithKeeper.replace('until they are sent', 'until the customer is verified')

export const getKeysHelp = ({'no-draft': hasNoDraft}: DraftFlags) => (hasNoDraft ? keysHelp : keysHelpOfCustomers)

// Drafts of a dry run belong to the profile that would be used.
function findCallerIfAny(profile: string | undefined): DraftCaller | undefined {
  try {
    return findCaller(profile)
  } catch {
    return undefined
  }
}

const describeCustomer = ({email, kycData, kybData, ...body}: Body): string => {
  const find = (path: string) => toText(getValue({kycData, kybData}, path))
  const person = [find('kycData.legalFirstName'), find('kycData.legalLastName')].filter(Boolean).join(' ')
  const name = find('kybData.businessInfo.legalBusinessName') || toText(body['businessName']) || person
  return name || toText(email)
}

// Fields that another version of svc wrote into the draft must not end the wizard. They are kept in the draft.
function separateUnknownFields(body: Body, validate: (body: Body) => readonly Problem[]) {
  const paths = validate(body)
    .filter(isAllowedField)
    .map(({path}) => path)
  if (paths.length > 0) {
    printText(
      `This version of svc does not know ${paths.join(', ')} of the draft: kept there, and not sent (--allow-unknown-fields sends it).`,
    )
  }
  const unknownFields = Object.fromEntries(paths.map((path) => [path, getValue(body, path)]))
  return {body: paths.toReversed().reduce(withoutValue, body), unknownFields}
}

export function openDraft(
  command: string,
  given: Body,
  flags: DraftFlags,
  caller: DraftCaller | undefined,
  validate: (body: Body) => readonly Problem[],
): Promise<BodyDraft> {
  const scope = {...createDraftScope(caller ?? findCallerIfAny(flags.profile)), command}
  const {'no-draft': hasNoDraft = false, resume, 'allow-unknown-fields': allowsUnknown = false} = flags
  const {customerType} = given
  return openBodyDraft(scope, given, {
    hasNoDraft,
    hasFile: resume !== undefined,
    describe: describeCustomer,
    isFitting: (body) => customerType === undefined || customerType === body['customerType'],
    separate: (body, isKept) =>
      (isKept || isOwnDraft(resume)) && !allowsUnknown
        ? separateUnknownFields(body, validate)
        : {body, unknownFields: {}},
  })
}

// Sends the answers of a wizard. If that fails, they are saved as a draft, so that nothing typed is lost.
interface SendOptions<T> {
  isQuiet?: boolean
  // False for a dry run: the draft is still needed.
  isSent?: boolean
  // Whether the service took the data. If not, the answers are corrected and sent again.
  isDone?: (reply: T) => boolean
}

export async function sendOrSaveDraft<T>(
  send: () => Promise<T>,
  body: Body,
  {drafts, keeper}: Pick<Wizard, 'drafts' | 'keeper'>,
  {isQuiet = false, isSent = true, isDone = () => true}: SendOptions<T> = {},
): Promise<T> {
  try {
    keeper?.markSending(isSent)
    const reply = await send()
    if (isSent && isDone(reply)) keeper?.discard()
    else keeper?.markSending(false)
    // After a dry run the answers are still to be sent.
    if (!isSent) keeper?.leave({isQuiet})
    const file = drafts.getSavedFile()
    if (file !== undefined && !isQuiet) {
      printText(`${file} contains personal data: delete it when you no longer need it.`)
    }
    return reply
  } catch (error) {
    // A request whose outcome is unknown may have arrived, so the draft keeps its mark.
    if (!(error instanceof SvcError && error.kind === 'unknownOutcome')) keeper?.markSending(false)
    // A user who quits has chosen not to save. A user who declines a confirmation has not.
    const hasQuit = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
    const hint = keeper?.describeContinuation()
    const needsFile = hint === undefined && error instanceof SvcError && !hasQuit
    if (hint !== undefined && !hasQuit) printText(`${hint}.`)
    if (needsFile) await offerDraftFile(body, drafts)
    else await drafts.saveOnExit(body)
    keeper?.release()
    throw error
  }
}

// Quitting this prompt must not hide the error that led to it.
async function offerDraftFile(body: Body, drafts: Drafts): Promise<void> {
  try {
    await drafts.offerToSave(body)
  } catch {
    printText('It was not saved.')
  }
}

// Rejects problems that no question can fix, such as a field that the contract does not have.
function rejectUnfixable(answers: Answers, {steps, validate, mask}: ReviewedWizard): void {
  const keys = steps(answers).map(getStepKey)
  const isFixable = (path: string) => keys.some((key) => path === key || path.startsWith(`${key}[`))
  const unfixable = validate(answers.body).filter(({path, isWarning}) => !isWarning && !isFixable(path))
  rejectProblems(unfixable, mask?.(answers.body) ?? {})
}

const isOptional = (step: Step) => (isQuestion(step) ? !step.isRequired : !isFork(step) || !step.isAlwaysAsked)

// Optional steps before the last answer of a draft were skipped on purpose.
function findSkippedSteps(draft: Body, {steps}: ReviewedWizard): string[] {
  const all = steps({body: draft, forks: {}})
  const last = all.findLastIndex((step) => isQuestion(step) && getValue(draft, step.path) !== undefined)
  return all.filter((step, index) => index < last && isOptional(step)).map(getStepKey)
}

interface Continued {
  // The answers of a draft in a file.
  draft?: Body | undefined
  // A draft that was kept, with the question that was left; undefined is the review.
  kept?: {at: DraftPosition | undefined} | undefined
  // Steps of the kept draft that are not asked, by their keys.
  carriedOver?: ReadonlySet<string> | undefined
}

// Asks the steps of a wizard that flags, files and a draft leave open.
export async function askOpenSteps(
  start: Answers,
  wizard: ReviewedWizard,
  {draft, kept, carriedOver = new Set()}: Continued = {},
): Promise<Answers> {
  rejectUnfixable(start, wizard)
  if (kept) return runWizard(start, wizard, (await findStepsBefore(start, kept.at, wizard)).union(carriedOver))
  const skipped = await findAnsweredSteps(start, wizard)
  for (const key of draft ? findSkippedSteps(draft, wizard) : []) skipped.add(key)
  return runWizard(start, wizard, skipped)
}
