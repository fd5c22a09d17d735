// The draft of a customer wizard: offers the one that was kept, and keeps the answers from now on.
import {mergeBodies} from '../../cli/body/body.ts'
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import {toText} from '../../cli/output/view.ts'
import {askSelect, askAlone, keysHelp} from '../../cli/prompts/ask.ts'
import {printText} from '../../cli/wizard/print.ts'
import {findAnsweredSteps, findStepsBefore, runWizard} from '../../cli/wizard/run-wizard.ts'
import {type Answers, getStepKey} from '../../cli/wizard/steps.ts'
import type {Draft, ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {Declined, SvcError, getSystemCode} from '../../errors.ts'
import {findCaller} from '../../profiles/caller.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {quoteForShell} from '../../values/text.ts'
import {formatDuration, minuteMs} from '../../values/time.ts'
import {type AnswersCaller, DraftFile, type StoredDraft} from '../answers.ts'

export interface DraftFlags {
  profile?: string | undefined
  'no-draft'?: boolean | undefined
}

// A correction needs the answers again, so they are kept longer than until they are sent.
const keptNotice = 'Your answers are kept until the customer is verified, for 30 days at most.'

export const getKeysHelp = ({'no-draft': hasNoDraft}: DraftFlags) =>
  hasNoDraft ? keysHelp : `${keysHelp} ${keptNotice}`

// Drafts of a dry run belong to the profile that would be used.
function findCallerIfAny(profile: string | undefined): AnswersCaller | undefined {
  try {
    return findCaller(profile)
  } catch {
    return undefined
  }
}

function describeCustomer(body: Body): string {
  const find = (...paths: string[]) =>
    paths
      .map((each) => toText(getValue(body, each)))
      .join(' ')
      .trim()
  return (
    find('kybData.businessInfo.legalBusinessName') ||
    find('businessName') ||
    find('kycData.legalFirstName', 'kycData.legalLastName') ||
    find('email')
  )
}

function describeAge(savedAtMs: number): string {
  const ageMs = Date.now() - savedAtMs
  return ageMs < minuteMs ? 'just now' : `${formatDuration(Math.floor(ageMs / minuteMs) * minuteMs)} ago`
}

interface DraftOwner {
  // The id of the customer, or `newCustomer`.
  customerId: string
  // Such as `customers fix ID`.
  command: string
  caller: AnswersCaller | undefined
}

// Keeps the answers of one wizard in its file. Without a file nothing is kept.
export class KeptDraft implements Draft {
  readonly #file: DraftFile | undefined
  readonly #command: string
  readonly #profile: string
  #start: Answers | undefined
  #context: unknown
  #isKept: boolean

  constructor(file: DraftFile | undefined, {command, caller}: DraftOwner, stored: StoredDraft | undefined) {
    this.#file = file
    this.#command = command
    this.#profile = caller?.profileName ?? ''
    this.#context = stored?.context
    this.#isKept = stored !== undefined
  }

  // What the wizard decided before its questions.
  setContext(context: unknown): void {
    this.#context = context
  }

  // Nothing is kept before the first answer. A full disk does not end the wizard.
  save(answers: Answers, at?: string): void {
    this.#start ??= answers
    if (!this.#file || (!this.#isKept && answers === this.#start)) return
    try {
      const {body, forks} = answers
      this.#file.save({command: this.#command, savedAtMs: Date.now(), body, forks, at, context: this.#context})
      this.#isKept = true
    } catch (error) {
      printText(`The answers cannot be kept (${getSystemCode(error) ?? 'unknown'}).`)
      this.#isKept = false
    }
  }

  describe(): string | undefined {
    const profile = this.#profile === '' ? '' : ` -p ${quoteForShell(this.#profile)}`
    return this.#isKept
      ? `Your answers are kept: \`svc ${this.#command}${profile}\` offers to go on with them.`
      : undefined
  }

  // The answers were sent.
  remove(): void {
    this.#file?.remove()
    this.#isKept = false
    this.#start = undefined
  }
}

export interface OpenedDraft extends Answers {
  draft: KeptDraft
  // The draft that is continued, if any.
  stored?: StoredDraft | undefined
}

// Undefined if the answers of this wizard are not to be kept.
function openFile({customerId, caller}: DraftOwner, flags: DraftFlags): DraftFile | undefined {
  if (flags['no-draft']) return undefined
  try {
    const file = DraftFile.open(caller, customerId)
    if (!file) printText('Another svc keeps its answers at the moment, so yours are not kept.')
    return file
  } catch (error) {
    printText(`The answers cannot be kept (${getSystemCode(error) ?? 'unknown'}).`)
    return undefined
  }
}

async function offerDraft(file: DraftFile, stored: StoredDraft): Promise<StoredDraft | undefined> {
  const about = [describeCustomer(stored.body), describeAge(stored.savedAtMs)].filter(Boolean).join(', ')
  const goesOn = await askAlone(() =>
    askSelect('Go on with your draft?', [
      {name: `Go on: ${about}`, short: 'go on', value: true},
      {name: 'Start anew, and delete it', short: 'start anew', value: false},
    ]),
  )
  if (!goesOn) file.remove()
  return goesOn ? stored : undefined
}

// A draft of another command or of another kind of customer is neither offered nor replaced.
function isFitting({command, body}: StoredDraft, owner: DraftOwner, {customerType}: Body): boolean {
  return command === owner.command && (customerType === undefined || customerType === body['customerType'])
}

// Runs a wizard with the draft of an earlier run, if the person wants to go on with it. What was given this time overrides it.
export async function withDraft<T>(
  {caller: known, ...owner}: DraftOwner,
  given: Body,
  flags: DraftFlags,
  work: (opened: OpenedDraft) => Promise<T>,
): Promise<T> {
  const whole = {...owner, caller: known ?? findCallerIfAny(flags.profile)}
  const file = openFile(whole, flags)
  try {
    const found = file?.read()
    const canUse = found === undefined || isFitting(found, whole, given)
    if (!canUse) printText(`Your draft of \`svc ${found.command}\` stays, and these answers are not kept.`)
    const stored = file && found && canUse ? await offerDraft(file, found) : undefined
    const draft = new KeptDraft(canUse ? file : undefined, whole, stored)
    return await work({body: mergeBodies(stored?.body ?? {}, given), forks: stored?.forks ?? {}, draft, stored})
  } finally {
    file?.close()
  }
}

// Sends the answers of a wizard. They stay in the draft unless the service took them; `isDone` tells.
export async function sendAnswers<T>(
  send: () => Promise<T>,
  draft: KeptDraft,
  isDone: (reply: T) => boolean = () => true,
): Promise<T> {
  try {
    const reply = await send()
    if (isDone(reply)) draft.remove()
    return reply
  } catch (error) {
    // Who stops has been told.
    const hasStopped = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
    const hint = hasStopped ? undefined : draft.describe()
    if (hint !== undefined) printText(hint)
    throw error
  }
}

// Rejects problems that no question can fix, such as a field that the contract does not have.
function rejectUnfixable(answers: Answers, {steps, validate, mask}: ReviewedWizard): void {
  const keys = steps(answers).map(getStepKey)
  const isFixable = (path: string) => keys.some((key) => path === key || path.startsWith(`${key}[`))
  const unfixable = validate(answers.body).filter(({path, isWarning}) => !isWarning && !isFixable(path))
  rejectProblems(unfixable, mask?.(answers.body) ?? {})
}

// Asks the steps of a wizard that flags, files and a draft leave open.
export async function askOpenSteps(
  start: Answers,
  wizard: ReviewedWizard,
  stored: StoredDraft | undefined,
): Promise<Answers> {
  rejectUnfixable(start, wizard)
  const skipped = stored ? await findStepsBefore(start, stored.at, wizard) : await findAnsweredSteps(start, wizard)
  return runWizard(start, wizard, skipped)
}
