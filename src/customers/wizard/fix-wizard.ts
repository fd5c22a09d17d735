// The wizard of `svc customers fix`: corrects what verification rejected, in rounds, until nothing is left to correct.
import {isDeepStrictEqual} from 'node:util'
import {z} from 'zod'
import type {Client} from '../../client/client.ts'
import {type LooseCustomer, readCode} from '../../contract/loose.ts'
import {SvcError, interrupted} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {Body} from '../../values/body-paths.ts'
import {type ItemResult, type Result, itemResult} from '../../cli/output/result.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askAlone, askYesNo, isInterruption} from '../../cli/prompts/ask.ts'
import type {Answers, Part} from '../../cli/wizard/steps.ts'
import {rejectIfLocked} from '../reject-if-locked.ts'
import {forgetIfEnded, keepSentAnswers, readSentAnswers, replaceParts} from '../answers.ts'
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
import {type DraftFlags, type OpenedDraft, getKeysHelp, withDraft} from './open-draft.ts'
import {quoteForShell} from '../../values/text.ts'

export interface FixContext extends Pick<CorrectionContext, 'connect' | 'guard'> {
  caller: Caller
  flags: DraftFlags
  // Waits for the outcome of a correction.
  wait: (client: Client, writeReply: LooseCustomer) => Promise<Result>
  notice: (text: string) => void
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
  known: Body,
): void {
  if (verificationLink) {
    printText(`The customer can correct it in the hosted form instead: \`svc open ${quoteForShell(customerId)}\`.`)
  }
  printText(`To correct: ${parts.map(({label}) => label).join('; ')}.`)
  const isKnown = (part: Part) => Object.keys(pruneDraft([part], known)).length > 0
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
): Promise<RoundResult> {
  const {customerId, draft, stored} = context
  const issues = readIssues(customer.verificationIssues)
  await printIssues({...customer, customerId}, issues)
  const ofDraft = findCorrectionOfDraft(issues, stored?.context)
  // If the issues have changed since the draft, its answers are used and its position is not.
  const known = stored && !ofDraft ? replaceParts(context.known ?? {}, stored.body) : (context.known ?? {})
  const correction = ofDraft ?? (await chooseCorrection(customer.customerType, issues, stored?.body ?? {}, known))
  const {parts, concerns} = correction
  draft.setContext(describeRound(issues, correction))
  if (parts.length === 0) return {result: itemResult(customer, customerView, supportNeeded(issues))}
  printIntroduction(parts, {...customer, customerId}, flags, known)
  if (parts.some(({name}) => /documents|associatedPersons/i.test(name))) printSampleHint(context.caller)
  const sent = await correctParts(parts, {...context, known, concerns, stored: ofDraft && stored})
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
    const shouldWait = await interruptAfterSending(() => askAlone(() => askYesNo(question, true)), next)
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
    if (isInterruption(error) || (error instanceof SvcError && error.kind === 'interrupted')) {
      throw interrupted('Stopped; what was already sent is not undone', hint)
    }
    throw error
  }
}

// Corrects in rounds, each with the issues that the round before has left.
async function runRounds(
  customer: LooseCustomer,
  customerId: string,
  context: FixContext,
  {draft, stored}: OpenedDraft,
): Promise<Result> {
  const {connect, guard, flags, caller} = context
  let known: Body = flags['no-draft'] ? {} : (readSentAnswers(caller, customerId) ?? {})
  const keepSent = (body: Body) => {
    known = replaceParts(known, body)
    if (!flags['no-draft']) keepSentAnswers(caller, customerId, known)
  }
  const shared = {customerId, caller, connect, guard, draft, keepSent}
  let round = await runRound(customer, {...shared, known, stored}, context)
  for (let refused: RefusedImages = new Map(); 'next' in round;) {
    const {next, answers} = round
    refused = new Map([...refused, ...findRefusedImages(answers.body, readIssues(next.verificationIssues))])
    const nextContext = {...shared, known, refused}
    round = await interruptAfterSending(() => runRound(next, nextContext, context))
  }
  return round.result
}

export async function fixCustomer(customerId: string, context: FixContext): Promise<Result> {
  const {connect, flags, notice, caller} = context
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
  return withDraft({customerId, command, caller}, {}, flags, (opened) =>
    runRounds(customer, customerId, context, opened),
  )
}
