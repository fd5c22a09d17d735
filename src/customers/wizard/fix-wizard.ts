// The wizard of `svc customers fix`: corrects what verification rejected, in rounds, until nothing is left to correct.
import {isDeepStrictEqual} from 'node:util'
import {z} from 'zod'
import type {Client} from '../../client/client.ts'
import {customerPatch} from '../../contract/customers.ts'
import {type LooseCustomer, readCode} from '../../contract/loose.ts'
import {SvcError, interrupted} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {Body} from '../../values/body-paths.ts'
import {type ItemResult, type Result, itemResult} from '../../cli/output/result.ts'
import {checkDraftFile, openDrafts} from '../../cli/wizard/drafts.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askStandalone} from '../../cli/wizard/run-wizard.ts'
import {askYesNo} from '../../cli/wizard/prompts.ts'
import type {Answers, Part} from '../../cli/wizard/steps.ts'
import {readCustomerBody} from '../body.ts'
import {rejectIfLocked} from '../reject-if-locked.ts'
import {forgetIfEnded, keepSentAnswers, readSentAnswers, replaceParts} from '../sent-answers.ts'
import {findProblemsExceptFiles} from '../validate-body.ts'
import {customerView} from '../view.ts'
import {printSampleHint} from './ask-document.ts'
import {type Correction, businessSubmission, chooseCorrection, personSubmission, pruneDraft} from './choose-parts.ts'
import {type CorrectionContext, type SentCorrection, correctParts} from './correct-parts.ts'
import {
  type Issue,
  type RefusedImages,
  findRefusedImages,
  isForSupport,
  joinCodes,
  printIssues,
  readIssues,
} from './issues.ts'
import {type DraftFlags, getKeysHelp, openDraft} from './open-draft.ts'
import {quoteForShell} from '../../values/text.ts'

export interface FixContext extends Pick<CorrectionContext, 'connect' | 'guard' | 'resumed'> {
  caller: Caller
  flags: DraftFlags
  // Waits for the outcome of a correction.
  wait: (client: Client, writeReply: LooseCustomer) => Promise<Result>
  notice: (text: string) => void
}

// Checks the draft files before the first question, and reads the draft to resume.
export async function readDraft({save, resume}: DraftFlags): Promise<Body | undefined> {
  checkDraftFile(save, resume)
  return resume === undefined ? undefined : readCustomerBody(customerPatch, {file: resume})
}

function supportNeeded(issues: readonly Issue[]): SvcError {
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

const carriedOverNotice = 'What you sent before is used for the rest: the review shows it, and you can change it there.'

function printIntroduction(
  parts: readonly Part[],
  {customerId, verificationLink}: LooseCustomer & {customerId: string},
  flags: DraftFlags,
  known: Body | undefined,
): void {
  if (verificationLink) {
    printText(`The customer can correct it in the hosted form instead: \`svc open ${quoteForShell(customerId)}\`.`)
  }
  printText(`To correct: ${parts.map(({label}) => label).join('; ')}.`)
  const isKnown = (part: Part) => known !== undefined && Object.keys(pruneDraft([part], known)).length > 0
  for (const part of parts) {
    if (part.correctionNote !== undefined && !isKnown(part)) printText(part.correctionNote)
  }
  if (parts.some(isKnown)) printText(carriedOverNotice)
  printText(getKeysHelp(flags))
}

const rejectedStatus = 'NEEDS_ADDITIONAL_INFORMATION'

// The result of the command, or the customer with new issues for the next round and the answers so far.
type RoundResult = {result: Result} | {next: LooseCustomer; answers: Answers}

// What a draft remembers of a round: it can be continued if the issues are still the same.
const describeRound = (issues: readonly Issue[], {parts, concerns}: Correction) => ({
  issues: issues.map(({code, timestamp}) => `${code} ${timestamp}`),
  parts: parts.map(({name}) => name),
  concerns,
})

const draftRound = z.object({
  issues: z.array(z.string()),
  parts: z.array(z.string()),
  concerns: z.array(z.object({path: z.string(), fields: z.array(z.string())})).default([]),
})

function findCorrectionOfDraft(issues: readonly Issue[], draft: unknown): Correction | undefined {
  const {data} = draftRound.safeParse(draft)
  if (!data) return undefined
  const parts = [personSubmission, businessSubmission]
    .map((submission) => submission.parts.filter(({name}) => data.parts.includes(name)))
    .find((found) => found.length === data.parts.length)
  const correction = parts && {parts, concerns: data.concerns}
  return correction && isDeepStrictEqual(data, describeRound(issues, correction)) ? correction : undefined
}

async function runRound(
  customer: LooseCustomer,
  context: CorrectionContext,
  {wait, flags}: Pick<FixContext, 'wait' | 'flags'>,
  draftContext?: unknown,
): Promise<RoundResult> {
  const {customerId, keeper, kept, known, resumed = kept?.answers.body} = context
  const issues = readIssues(customer.verificationIssues)
  await printIssues({...customer, customerId}, issues)
  const ofDraft = findCorrectionOfDraft(issues, draftContext)
  const correction = ofDraft ?? (await chooseCorrection(customer.customerType, issues, resumed ?? {}, known ?? {}))
  const {parts, concerns} = correction
  keeper.setContext(describeRound(issues, correction))
  if (parts.length === 0) return {result: itemResult(customer, customerView, supportNeeded(issues))}
  printIntroduction(parts, {...customer, customerId}, flags, context.resumed ? undefined : known)
  if (parts.some(({name}) => /documents|associatedPersons/i.test(name))) printSampleHint(context.caller)
  // The issues have changed since the draft, so its answers are used and its position is not.
  const isOther = kept !== undefined && ofDraft === undefined
  const sent = await correctParts(parts, {...context, concerns, ...(isOther && {kept: undefined, resumed})})
  context.keepSent(sent.answers.body)
  const result = await waitForOutcome({...customer, customerId}, sent, wait)
  const {value, failure} = result as ItemResult<LooseCustomer>
  return failure && value.customerStatus === rejectedStatus ? {next: value, answers: sent.answers} : {result}
}

// A service may lag behind its own writes. The same issues with the same time are not the outcome of the correction.
const isStale = (before: LooseCustomer, after: LooseCustomer) =>
  after.customerStatus === rejectedStatus &&
  isDeepStrictEqual([before.updatedAt, before.verificationIssues], [after.updatedAt, after.verificationIssues])

async function waitForOutcome(
  before: LooseCustomer & {customerId: string},
  {client, customer}: SentCorrection,
  wait: FixContext['wait'],
): Promise<Result> {
  const next = `Follow it with \`svc customers watch ${quoteForShell(before.customerId)}\``
  for (let question = 'Sent. Wait for the outcome?'; ;) {
    const shouldWait = await interruptAfterSending(() => askStandalone(() => askYesNo(question, true)), next)
    if (!shouldWait) return itemResult(customer, customerView)
    const result = await wait(client, customer)
    if (!isStale(before, (result as ItemResult<LooseCustomer>).value)) return result
    question = 'The service still shows the earlier state. Keep waiting?'
  }
}

// Quitting after a correction was sent must not report that nothing was sent.
async function interruptAfterSending<T>(ask: () => Promise<T>, hint?: string): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SvcError && error.kind === 'interrupted') {
      throw interrupted('Stopped; what was already sent is not undone', hint)
    }
    throw error
  }
}

export async function fixCustomer(customerId: string, context: FixContext): Promise<Result> {
  const {connect, guard, resumed, flags, notice} = context
  const client = await connect()
  const customer = forgetIfEnded<LooseCustomer>(await client.customers.get({customerId}))
  const {customerStatus, verificationLink} = customer
  const hasForm = typeof verificationLink === 'string' && verificationLink !== ''
  rejectIfLocked(customerId, customerStatus, {hasForm})
  if (readCode(customerStatus) === 'CREATED') {
    notice(
      `Nothing was submitted yet, so there is nothing to fix: \`svc customers update ${quoteForShell(customerId)}\` submits data.`,
    )
    return itemResult(customer, customerView)
  }
  const command = `customers fix ${quoteForShell(customerId)}`
  const opened = await openDraft(command, resumed ?? {}, flags, context.caller, (body) =>
    findProblemsExceptFiles(customerPatch, body),
  )
  const {body: start, forks: startForks, keeper, continued} = opened
  const drafts = openDrafts(flags.save ?? flags.resume, command)
  let known: Body = flags['no-draft'] ? {} : (readSentAnswers(context.caller, customerId)?.body ?? {})
  const keepSent = (body: Body) => {
    known = replaceParts(known, body)
    if (!flags['no-draft']) keepSentAnswers(context.caller, customerId, known)
  }
  const shared = {customerId, caller: context.caller, connect, guard, drafts, keeper, keepSent}
  const first = continued
    ? {kept: {answers: {body: start, forks: startForks}, at: continued.at}}
    : {resumed: resumed && start}
  let round = await runRound(customer, {...shared, ...first, known}, context, opened.context)
  for (let refused: RefusedImages = new Map(); 'next' in round;) {
    const {next, answers} = round
    refused = new Map([...refused, ...findRefusedImages(answers.body, readIssues(next.verificationIssues))])
    const nextContext = {...shared, known, refused}
    round = await interruptAfterSending(() => runRound(next, nextContext, context))
  }
  return round.result
}
