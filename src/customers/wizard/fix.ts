// The wizard of `svc customers fix`: corrects what verification rejected, in rounds, until nothing is left to correct. A round is the
// form of a submission, limited to what the issues concern.
import {isDeepStrictEqual} from 'node:util'
import {type ItemResult, type Result, itemResult} from '../../cli/output/result.ts'
import {askAlone, askYesNo, isInterruption} from '../../cli/prompts/ask.ts'
import {askForm, findAnswered} from '../../cli/wizard/ask-form.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Question, type ReviewedForm, completeBody, isUnsent} from '../../cli/wizard/question.ts'
import {reviewAnswers, reviseAnswers} from '../../cli/wizard/review.ts'
import type {Client} from '../../client/client.ts'
import {customerPatch} from '../../contract/customers.ts'
import {type LooseCustomer, readCode} from '../../contract/loose.ts'
import {SvcError, interrupted} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {WriteRequest} from '../../profiles/write-gate.ts'
import {type Body, getValue, withValue} from '../../values/body-paths.ts'
import {quoteForShell} from '../../values/text.ts'
import {keepSentAnswers, readAnswers, readCustomer, replaceParts} from '../answers.ts'
import {checkBody} from '../check-body.ts'
import {customerView} from '../view.ts'
import {rejectIfLocked} from '../words.ts'
import {printSampleHint} from './ask-document.ts'
import {type Correction, createChoices} from './correction.ts'
import {type DraftFlags, type OpenedDraft, getKeysHelp, openDraft} from './draft.ts'
import {type Issue, isForSupport, joinCodes, printIssues, readIssues} from './issues.ts'
import {type Part, addOneMore, buildPartQuestions, copyAddresses, isAtOrBelow, toSubject} from './submission.ts'
import {createForm} from './submit.ts'

export interface FixContext {
  caller: Caller
  flags: DraftFlags
  // Connects anew for every request, so that the time to answer questions does not count against --timeout.
  connect: () => Promise<Client>
  guard: (write: WriteRequest) => Promise<void>
  // Waits for the outcome of a correction.
  wait: (client: Client, writeReply: LooseCustomer) => Promise<Result>
  notice: (text: string) => void
}

interface Round extends FixContext {
  customerId: string
  draft: OpenedDraft
  // What was sent before, as far as svc knows it. It is carried over, and only what the issues are about is asked.
  known: Body
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

// Of a body, only these parts: nothing else may be sent.
const keepParts = (parts: readonly Part[], body: Body): Body =>
  parts
    .flatMap(({paths}) => paths)
    .reduce<Body>((kept, path) => {
      const value = getValue(body, path)
      return value === undefined ? kept : withValue(kept, path, value)
    }, {})

const isKnownPart = (part: Part, known: Body) => part.paths.some((path) => getValue(known, path) !== undefined)

// Codes name fields without the index of a document.
const toFieldPath = ({path}: Question) => toSubject(path).replaceAll(/(?<=\.documents)\[\d+\]/g, '')

const isConcerned = (question: Question, concerns: readonly string[]) =>
  concerns.some((concern) => isAtOrBelow(toFieldPath(question), concern))

// The file that verification had when it raised the issue is not sent again without a word.
export function warnOfSentFile(question: Question, known: Body, concerns: readonly string[]): Question {
  const sent = getValue(known, question.path)
  if (!question.isFile || sent === undefined || !isConcerned(question, concerns)) return question
  const warn: Question['warn'] = (value) =>
    value === sent ? 'Verification had this file already: choose another, or replace it first' : undefined
  return {...question, warn}
}

const isCount = ({path, kind}: Question) => isUnsent(path) && kind === 'text'

// A list without what a code names, such as a proof of address, is asked for one more item.
function findLackingLists(questions: readonly Question[], concerns: readonly string[]): Question[] {
  const open = concerns.filter((concern) => !questions.some((question) => isConcerned(question, [concern])))
  return questions.filter(
    (question) => isCount(question) && open.some((concern) => concern.startsWith(`${toFieldPath(question)}.`)),
  )
}

function createCorrectionForm({type, parts, concerns}: Correction, {draft, flags, caller, known}: Round): ReviewedForm {
  return createForm(customerPatch, draft, flags, caller, {
    questions: (body) => {
      const all = buildPartQuestions(type, parts, body)
      const lacking = findLackingLists(all, concerns)
      return all
        .map((question) => (lacking.includes(question) ? addOneMore(question) : question))
        .map((question) => warnOfSentFile(question, known, concerns))
    },
    complete: (body) => keepParts(parts, copyAddresses(body)),
    isWhole: false,
    sendLabel: 'Send the correction; verification starts again',
  })
}

// The questions that are not asked, since what was sent before answers them. What is required and missing is asked, and a file that
// is no longer there.
async function findCarriedOver(start: Body, form: ReviewedForm, concerns: readonly string[]): Promise<Set<string>> {
  const questions = form.questions(start)
  const answered = await findAnswered(start, form)
  const lacking = findLackingLists(questions, concerns)
  // Of the answers that are not sent, only the length of a whole list that is not known has to be given.
  const isNeeded = (question: Question) =>
    isUnsent(question.path)
      ? isCount(question) && !question.path.includes('[')
      : question.isRequired || getValue(start, question.path) !== undefined
  const isAsked = (question: Question) =>
    (isNeeded(question) && !answered.has(question.path)) ||
    isConcerned(question, concerns) ||
    lacking.includes(question)
  return new Set(questions.filter((question) => !isAsked(question)).map(({path}) => path))
}

// Of an address, a national ID or a list that svc does not know, the service takes only all of it.
const wholeNotice =
  'An address, a national ID or a list is sent as a whole and replaces what was sent before: enter all of it.'

function printIntroduction({parts}: Correction, {verificationLink}: LooseCustomer, round: Round): void {
  const {customerId, known, flags, caller} = round
  if (verificationLink) {
    printText(`The customer can correct it in the hosted form instead: \`svc open ${quoteForShell(customerId)}\`.`)
  }
  printText(`To correct: ${parts.map(({label}) => label).join('; ')}.`)
  if (parts.some((part) => part.names.length > 1 && !isKnownPart(part, known))) printText(wholeNotice)
  if (parts.some((part) => isKnownPart(part, known))) {
    printText('What you sent before is used for the rest: the review shows it, and you can change it there.')
  }
  printText(getKeysHelp(flags))
  if (parts.some(({paths}) => paths.some((path) => /documents|associatedPersons/i.test(path)))) printSampleHint(caller)
}

interface SentCorrection {
  body: Body
  client: Client
  customer: LooseCustomer
}

// Returns why the answers were not taken, if they can be changed.
async function trySending(body: Body, {customerId, guard, connect}: Round): Promise<SentCorrection | string> {
  const {body: whole, problems} = await checkBody(customerPatch, body, {allowsUnknownFields: false})
  // The review has shown the warnings.
  const problem = problems.find(({isWarning}) => !isWarning)
  if (problem) return `${problem.path} ${problem.message}: change it before sending.`
  await guard({method: 'PATCH', path: `/customers/${customerId}`})
  const client = await connect()
  try {
    return {body, client, customer: await client.customers.update({customerId, body: whole})}
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'BAD_REQUEST') throw error
    return `The service rejected it: ${error.message}. Change it and send it again.`
  }
}

async function correct(correction: Correction, start: Body, round: Round): Promise<SentCorrection> {
  const {parts, concerns} = correction
  const {draft, known} = round
  const form = createCorrectionForm(correction, round)
  const isKnown = parts.some((part) => isKnownPart(part, known))
  const carriedOver = isKnown ? await findCarriedOver(start, form, concerns) : new Set<string>()
  let answers = await reviewAnswers(await askForm(start, form, carriedOver.union(draft.passed ?? new Set())), form)
  for (;;) {
    const body = completeBody(answers, form)
    const sent = await draft.send(
      () => trySending(body, round),
      (reply) => typeof reply !== 'string',
    )
    if (typeof sent !== 'string') return sent
    answers = await reviseAnswers(answers, form, sent)
  }
}

const rejectedStatus = 'NEEDS_ADDITIONAL_INFORMATION'

// The result of the command, or the customer with new issues for the next round, and all that was sent.
type RoundResult = {result: Result} | {next: LooseCustomer; known: Body}

// Asks what to correct, and then for it. A draft can be continued if the issues are still the same; otherwise only its data is used.
async function runRound(customer: LooseCustomer, round: Round): Promise<RoundResult> {
  const {customerId, wait, flags, caller} = round
  const issues = readIssues(customer.verificationIssues)
  await printIssues({...customer, customerId}, issues)
  const $round = issues.map(({code, timestamp}) => `${code} ${timestamp}`)
  const {body: stored} = round.draft
  const isSame = isDeepStrictEqual(stored['$round'], $round)
  const draft = isSame ? round.draft : {...round.draft, passed: undefined}
  const known = replaceParts(round.known, stored)
  const choices = createChoices(customer.customerType, issues, known)
  const form = {questions: () => choices.questions, validate: () => [], draft}
  const start = await askForm({...(isSame && stored), ...known, $round}, form, draft.passed)
  const correction = choices.read(start)
  if (!correction) return {result: itemResult(customer, customerView, supportNeeded(issues))}
  const current = {...round, known, draft}
  printIntroduction(correction, customer, current)
  const sent = await correct(correction, start, current)
  const sentSoFar = replaceParts(round.known, sent.body)
  if (!flags['no-draft']) keepSentAnswers(caller, customerId, sentSoFar)
  const result = await waitForOutcome({...customer, customerId}, sent, wait)
  const {value, failure} = result as ItemResult<LooseCustomer>
  const isRefused = failure && value.customerStatus === rejectedStatus
  return isRefused ? {next: value, known: sentSoFar} : {result}
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
async function runRounds(customer: LooseCustomer, first: Round): Promise<Result> {
  let round = await runRound(customer, first)
  while ('next' in round) {
    const {next, known} = round
    const context = {...first, known, draft: {...first.draft, body: {}, passed: undefined}}
    round = await interruptAfterSending(() => runRound(next, context))
  }
  return round.result
}

export async function fixCustomer(customerId: string, context: FixContext): Promise<Result> {
  const {connect, flags, notice, caller} = context
  const client = await connect()
  const customer: LooseCustomer = await readCustomer(client, {customerId})
  rejectIfLocked(customerId, customer.customerStatus)
  if (readCode(customer.customerStatus) === 'CREATED') {
    notice(
      `Nothing was submitted yet, so there is nothing to fix: \`svc customers update ${quoteForShell(customerId)}\` submits data.`,
    )
    return itemResult(customer, customerView)
  }
  const draft = await openDraft({customerId, command: `customers fix ${quoteForShell(customerId)}`, caller}, {}, flags)
  const known = flags['no-draft'] ? {} : (readAnswers(caller, customerId).sent ?? {})
  return runRounds(customer, {...context, customerId, draft, known})
}
