// The conversation that corrects what verification refused: round by round, until it has nothing more to refuse.
import {isDeepStrictEqual} from 'node:util'
import type {Client} from '../../client/client.ts'
import {customerPatch} from '../../contract/customers.ts'
import {SvcError, interrupted} from '../../errors.ts'
import type {WriteRequest} from '../../profiles/write-policy.ts'
import {readCustomerBody} from '../body.ts'
import {type ValidatedBody, validateCustomerBody, findProblemsExceptFiles} from '../validate-body.ts'
import {maskPersonalData} from '../mask-personal-data.ts'
import {rejectIfLocked} from '../reject-if-locked.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {type ItemResult, type Result, itemResult} from '../../cli/output/result.ts'
import {toText} from '../../cli/output/view.ts'
import {customerView} from '../view.ts'
import type {Item} from '../../cli/output/format-values.ts'
import {askStandalone} from '../../cli/wizard/run-wizard.ts'
import {buildCorrectionSteps, pruneDraft, choosePartsToCorrect, listWholePartNotices} from './corrections.ts'
import {askOpenSteps, sendOrSaveDraft} from './submission-wizard.ts'
import {type Drafts, checkDraftFile, openDrafts} from '../../cli/wizard/drafts.ts'
import {type Issue, isForSupport, readIssues, printIssues} from './issues.ts'
import {getValue} from '../../cli/wizard/body-paths.ts'
import {askYesNo} from '../../cli/wizard/select-prompts.ts'
import {keysHelp} from '../../cli/wizard/navigation.ts'
import type {Answers, Part} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import {reviewAnswers} from '../../cli/wizard/review.ts'
import {printText} from '../../cli/wizard/print.ts'
import {interruptAfterRejection} from '../../cli/wizard/send-or-revise.ts'

export {chooseCustomer as chosenCustomer} from '../choose-customer.ts'

// What the conversation needs of whoever holds it.
export interface FixContext {
  // Anew for every leg, so that the time a person takes to answer does not count as waiting for the service.
  connect: () => Promise<Client>
  guard: (write: WriteRequest) => Promise<void>
  // Follows the customer after a correction, whose answer it gets.
  wait: (client: Client, answer: Item) => Promise<Result>
  notice: (text: string) => void
  save: string | undefined
  // The answers of a draft.
  resumed: Body | undefined
}

interface DraftFlags {
  save?: string | undefined
  resume?: string | undefined
}

// A draft is a body like any other file of one. Where it cannot be kept is said before the first question.
export async function readDraft({save, resume}: DraftFlags): Promise<Body | undefined> {
  checkDraftFile(save, resume)
  return resume === undefined ? undefined : readCustomerBody(customerPatch, {file: resume})
}

const needsGovernmentId =
  'There is no GOVERNMENT_ID among the documents; verification needs at least one government-issued photo ID.'

function listRemarks({body}: Answers): string[] {
  const documents = getValue(body, 'kycData.documents')
  const isLacking = Array.isArray(documents) && !documents.some((each: Item) => each['type'] === 'GOVERNMENT_ID')
  return isLacking ? [needsGovernmentId] : []
}

const buildCorrectionWizard = (parts: readonly Part[], drafts: Drafts): ReviewedWizard => ({
  steps: buildCorrectionSteps(parts),
  validate: (body) => findProblemsExceptFiles(customerPatch, body),
  drafts,
  mask: (body) => maskPersonalData(body, customerPatch),
  sendLabel: 'Send the correction; verification begins anew',
})

// What was seen and agreed to, once more judged as a file would be, with the content of its documents.
async function reviewUntilValid(
  start: Answers,
  wizard: ReviewedWizard,
): Promise<{answers: Answers; judged: ValidatedBody}> {
  let wrong: string[] = []
  const remarks = (answers: Answers) => [...listRemarks(answers), ...wrong]
  for (let answers = start; ;) {
    answers = await reviewAnswers(answers, {...wizard, remarks})
    const judged = await validateCustomerBody(customerPatch, answers.body)
    if (judged.problems.length === 0) return {answers, judged}
    wrong = judged.problems.map(({path, message}) => `${path} ${message}: change it before sending.`)
  }
}

interface SentCorrection {
  client: Client
  customer: Item
}

// What the service calls wrong can be mended here and now, so that is no end.
async function sendCorrection(
  customerId: string,
  {body}: ValidatedBody,
  {guard, connect}: FixContext,
): Promise<SentCorrection | undefined> {
  await guard({method: 'PATCH', path: `/customers/${customerId}`})
  const client = await connect()
  try {
    return {client, customer: await client.customers.update({customerId, body})}
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'BAD_REQUEST') throw error
    printText(`The service refused it: ${error.message}. Change it, and send it again.`)
    return undefined
  }
}

async function correctParts(
  parts: readonly Part[],
  customerId: string,
  context: FixContext,
  drafts: Drafts,
): Promise<SentCorrection> {
  const wizard = buildCorrectionWizard(parts, drafts)
  const resumed = context.resumed && pruneDraft(parts, context.resumed)
  let answers = await askOpenSteps({body: resumed ?? {}, forks: {}}, wizard, resumed)
  for (let isRefused = false; ; isRefused = true) {
    const asked = () => reviewUntilValid(answers, wizard)
    const {answers: last, judged} = await (isRefused ? interruptAfterRejection(asked) : asked())
    answers = last
    const sent = await sendOrSaveDraft(() => sendCorrection(customerId, judged, context), answers.body, drafts)
    if (sent) return sent
  }
}

// Nothing that could be sent would help, so this is the end of it here.
function supportNeeded(issues: readonly Issue[]): SvcError {
  const codes = [...new Set(issues.map(({code}) => code))].join(', ')
  return new SvcError({
    error: 'SUPPORT_NEEDED',
    kind: 'endedBadly',
    message: issues.every(isForSupport)
      ? `Only support can resolve ${codes}, so nothing was asked for and nothing was sent`
      : `Nothing was chosen to be corrected${codes && ` for ${codes}`}, and nothing was sent`,
    hint: 'Take it to the service’s support, with the id of the customer, the code and the time, and nothing personal',
  })
}

function printIntroduction(parts: readonly Part[], {customerId, verificationLink}: Item): void {
  if (verificationLink)
    printText(`The customer can correct it in the hosted form instead: \`svc customers open ${toText(customerId)}\`.`)
  printText(`Asked for: ${parts.map(({label}) => label).join('; ')}.`)
  for (const sentence of listWholePartNotices(parts)) printText(sentence)
  printText(keysHelp)
}

const refusedStatus = 'NEEDS_ADDITIONAL_INFORMATION'

// The end of the command, or the customer whose new issues begin the next round.
type RoundResult = {result: Result} | {next: Item}

async function runRound(customer: Item, customerId: string, context: FixContext, drafts: Drafts): Promise<RoundResult> {
  const issues = readIssues(customer['verificationIssues'])
  await printIssues({...customer, customerId}, issues)
  const parts = await choosePartsToCorrect(customer['customerType'], issues, context.resumed ?? {})
  if (parts.length === 0) return {result: itemResult(customer, customerView, supportNeeded(issues))}
  printIntroduction(parts, {...customer, customerId})
  const sent = await correctParts(parts, customerId, context, drafts)
  const result = await waitForOutcome(customer, sent, context)
  const {value, failure} = result as ItemResult<Item>
  return failure && value['customerStatus'] === refusedStatus ? {next: value} : {result}
}

// A service may lag behind what it has taken: the same issues at the same time are no outcome of a correction.
const isStale = (before: Item, after: Item) =>
  after['customerStatus'] === refusedStatus &&
  isDeepStrictEqual(
    [before['updatedAt'], before['verificationIssues']],
    [after['updatedAt'], after['verificationIssues']],
  )

async function waitForOutcome(before: Item, {client, customer}: SentCorrection, context: FixContext): Promise<Result> {
  for (let question = 'Sent. Wait for the outcome?'; ;) {
    const isWaiting = await interruptAfterSending(() => askStandalone(() => askYesNo(question, true)))
    if (!isWaiting) return itemResult(customer, customerView)
    const result = await context.wait(client, customer)
    if (!isStale(before, (result as ItemResult<Item>).value)) return result
    question = 'The service still shows it as it was before. Go on waiting?'
  }
}

// Whoever leaves after something was sent is not told that nothing was.
async function interruptAfterSending<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SvcError && error.kind === 'interrupted') {
      throw interrupted('Stopped; what was sent before stays sent')
    }
    throw error
  }
}

export async function fixCustomer(customerId: string, context: FixContext): Promise<Result> {
  const client = await context.connect()
  const customer: Item = await client.customers.get({customerId})
  const {customerStatus: status, verificationLink} = customer
  rejectIfLocked(customerId, status, {hasForm: typeof verificationLink === 'string' && verificationLink !== ''})
  if (status === 'CREATED') {
    context.notice(
      `Nothing was submitted yet, so there is nothing to fix: \`svc customers update ${customerId}\` submits data.`,
    )
    return itemResult(customer, customerView)
  }
  const drafts = openDrafts(context.save, `customers fix ${customerId}`)
  let after = await runRound(customer, customerId, context, drafts)
  while ('next' in after) {
    const {next} = after
    // What was resumed has been sent with the first round.
    after = await interruptAfterSending(() => runRound(next, customerId, {...context, resumed: undefined}, drafts))
  }
  return after.result
}
