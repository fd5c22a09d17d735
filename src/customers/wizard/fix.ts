// The conversation that corrects what verification refused: round by round, until it has nothing more to refuse.
import {isDeepStrictEqual} from 'node:util'
import type {Client} from '../../client/client.ts'
import {customerPatch} from '../../contract/customers.ts'
import {SvcError, interrupted} from '../../errors.ts'
import type {WriteRequest} from '../../profiles/guard.ts'
import {customerBody} from '../body.ts'
import {type JudgedBody, judgeCustomerBody, problemsBesidesFiles} from '../problems.ts'
import {masked} from '../masked.ts'
import {refuseIfLocked} from '../patch-allowed.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {type ItemResult, type Result, itemResult} from '../../cli/output/result.ts'
import {toText} from '../../cli/output/view.ts'
import {customerView} from '../view.ts'
import type {Item} from '../../cli/output/format-values.ts'
import {askOutside} from '../../cli/wizard/wizard.ts'
import {correctionSteps, draftOf, partsToCorrect, sentWhole} from './corrections.ts'
import {conversed, keeping} from './submit.ts'
import {type Drafts, checkDraftFile, draftsIn} from '../../cli/wizard/drafts.ts'
import {type Issue, isForSupport, readIssues, tellIssues} from './issues.ts'
import {valueAt} from '../../cli/wizard/paths.ts'
import {askYesNo, keysInWords} from '../../cli/wizard/prompts.ts'
import type {Answers, Part} from '../../cli/wizard/questions.ts'
import {type Reviewed, reviewed} from '../../cli/wizard/review.ts'
import {say} from '../../cli/wizard/print.ts'
import {afterRefusal} from '../../cli/wizard/sending.ts'

export {chosenCustomer} from '../work-list.ts'

// What the conversation needs of whoever holds it.
export interface Fixing {
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
export async function resumedFrom({save, resume}: DraftFlags): Promise<Body | undefined> {
  checkDraftFile(save, resume)
  return resume === undefined ? undefined : customerBody(customerPatch, {file: resume})
}

const needsGovernmentId =
  'There is no GOVERNMENT_ID among the documents; verification needs at least one government-issued photo ID.'

function remarksOn({body}: Answers): string[] {
  const documents = valueAt(body, 'kycData.documents')
  const isLacking = Array.isArray(documents) && !documents.some((each: Item) => each['type'] === 'GOVERNMENT_ID')
  return isLacking ? [needsGovernmentId] : []
}

const conversationOn = (parts: readonly Part[], drafts: Drafts): Reviewed => ({
  steps: correctionSteps(parts),
  problems: (body) => problemsBesidesFiles(customerPatch, body),
  drafts,
  masked: (body) => masked(body, customerPatch),
  sending: 'Send the correction; verification begins anew',
})

// What was seen and agreed to, once more judged as a file would be, with the content of its documents.
async function agreed(start: Answers, conversation: Reviewed): Promise<{answers: Answers; judged: JudgedBody}> {
  let wrong: string[] = []
  const remarks = (answers: Answers) => [...remarksOn(answers), ...wrong]
  for (let answers = start; ;) {
    answers = await reviewed(answers, {...conversation, remarks})
    const judged = await judgeCustomerBody(customerPatch, answers.body)
    if (judged.problems.length === 0) return {answers, judged}
    wrong = judged.problems.map(({path, message}) => `${path} ${message}: change it before sending.`)
  }
}

interface Sent {
  client: Client
  customer: Item
}

// What the service calls wrong can be mended here and now, so that is no end.
async function sentOnce(customerId: string, {body}: JudgedBody, {guard, connect}: Fixing): Promise<Sent | undefined> {
  await guard({method: 'PATCH', path: `/customers/${customerId}`})
  const client = await connect()
  try {
    return {client, customer: await client.customers.update({customerId, body})}
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'BAD_REQUEST') throw error
    say(`The service refused it: ${error.message}. Change it, and send it again.`)
    return undefined
  }
}

async function corrected(parts: readonly Part[], customerId: string, fixing: Fixing, drafts: Drafts): Promise<Sent> {
  const conversation = conversationOn(parts, drafts)
  const resumed = fixing.resumed && draftOf(parts, fixing.resumed)
  let answers = await conversed({body: resumed ?? {}, forks: {}}, conversation, resumed)
  for (let isRefused = false; ; isRefused = true) {
    const asked = () => agreed(answers, conversation)
    const {answers: last, judged} = await (isRefused ? afterRefusal(asked) : asked())
    answers = last
    const sent = await keeping(() => sentOnce(customerId, judged, fixing), answers.body, drafts)
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

function introduce(parts: readonly Part[], {customerId, verificationLink}: Item): void {
  if (verificationLink)
    say(`The customer can correct it in the hosted form instead: \`svc customers open ${toText(customerId)}\`.`)
  say(`Asked for: ${parts.map(({label}) => label).join('; ')}.`)
  for (const sentence of sentWhole(parts)) say(sentence)
  say(keysInWords)
}

const refusedStatus = 'NEEDS_ADDITIONAL_INFORMATION'

// The end of the command, or the customer whose new issues begin the next round.
type After = {result: Result} | {next: Item}

async function round(customer: Item, customerId: string, fixing: Fixing, drafts: Drafts): Promise<After> {
  const issues = readIssues(customer['verificationIssues'])
  await tellIssues({...customer, customerId}, issues)
  const parts = await partsToCorrect(customer['customerType'], issues, fixing.resumed ?? {})
  if (parts.length === 0) return {result: itemResult(customer, customerView, supportNeeded(issues))}
  introduce(parts, {...customer, customerId})
  const sent = await corrected(parts, customerId, fixing, drafts)
  const result = await outcomeOf(customer, sent, fixing)
  const {value, ending} = result as ItemResult<Item>
  return ending && value['customerStatus'] === refusedStatus ? {next: value} : {result}
}

// A service may lag behind what it has taken: the same issues at the same time are no outcome of a correction.
const isStale = (before: Item, after: Item) =>
  after['customerStatus'] === refusedStatus &&
  isDeepStrictEqual(
    [before['updatedAt'], before['verificationIssues']],
    [after['updatedAt'], after['verificationIssues']],
  )

async function outcomeOf(before: Item, {client, customer}: Sent, fixing: Fixing): Promise<Result> {
  for (let question = 'Sent. Wait for the outcome?'; ;) {
    const isWaiting = await afterSending(() => askOutside(() => askYesNo(question, true)))
    if (!isWaiting) return itemResult(customer, customerView)
    const result = await fixing.wait(client, customer)
    if (!isStale(before, (result as ItemResult<Item>).value)) return result
    question = 'The service still shows it as it was before. Go on waiting?'
  }
}

// Whoever leaves after something was sent is not told that nothing was.
async function afterSending<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof SvcError && error.kind === 'interrupted') {
      throw interrupted('Stopped; what was sent before stays sent')
    }
    throw error
  }
}

export async function fixCustomer(customerId: string, fixing: Fixing): Promise<Result> {
  const client = await fixing.connect()
  const customer: Item = await client.customers.get({customerId})
  const {customerStatus: status, verificationLink} = customer
  refuseIfLocked(customerId, status, {hasForm: typeof verificationLink === 'string' && verificationLink !== ''})
  if (status === 'CREATED') {
    fixing.notice(
      `Nothing was submitted yet, so there is nothing to fix: \`svc customers update ${customerId}\` submits data.`,
    )
    return itemResult(customer, customerView)
  }
  const drafts = draftsIn(fixing.save, `customers fix ${customerId}`)
  let after = await round(customer, customerId, fixing, drafts)
  while ('next' in after) {
    const {next} = after
    // What was resumed has been sent with the first round.
    after = await afterSending(() => round(next, customerId, {...fixing, resumed: undefined}, drafts))
  }
  return after.result
}
