// One correction: asks for the chosen parts, reviews them, and sends them until the service accepts them.
import type {z} from 'zod'
import {createKybNodes, createKycNodes} from '../../forms/verification.ts'
import {type Body, getValue} from '../../values/body-paths.ts'
import {printText} from '../../cli/wizard/print.ts'
import {interruptAfterRejection, reviewAnswers} from '../../cli/wizard/review.ts'
import {findAnsweredSteps, findStepsBefore, runWizard} from '../../cli/wizard/run-wizard.ts'
import {
  type Answers,
  type Part,
  type Step,
  getStepKey,
  isCount,
  isFork,
  isQuestion,
  listSteps,
} from '../../cli/wizard/steps.ts'
import type {ReviewedWizard} from '../../cli/wizard/wizard.ts'
import type {Client} from '../../client/client.ts'
import {customerPatch} from '../../contract/customers.ts'
import type {LooseCustomer} from '../../contract/loose.ts'
import {SvcError} from '../../errors.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {WriteRequest} from '../../profiles/write-gate.ts'
import {findProblemsExceptFiles, maskPersonalData, validateCustomerBody} from '../validate-body.ts'
import {acceptSample} from './ask-document.ts'
import type {StoredDraft} from '../answers.ts'
import {type KeptDraft, sendAnswers} from './open-draft.ts'
import {type RefusedImages, warnOfRefused} from './issues.ts'
import {listObjections, removeIndexes} from '../find-refusals.ts'
import {type Concern, getFirstName, pruneDraft} from './choose-parts.ts'

type CustomerPatch = z.input<typeof customerPatch>

export interface CorrectionContext {
  customerId: string
  caller: Pick<Caller, 'baseUrl'>
  // Connects anew for every request, so that the time to answer questions does not count against --timeout.
  connect: () => Promise<Client>
  guard: (write: WriteRequest) => Promise<void>
  draft: KeptDraft
  // The draft of the same correction, which is continued.
  stored?: StoredDraft | undefined
  // Remembers what was sent.
  keepSent: (body: Body) => void
  // What was sent before, as far as svc knows it. It is carried over, and only what the concerns are about is asked.
  known?: Body | undefined
  concerns?: readonly Concern[] | undefined
  // The images of earlier rounds that were refused.
  refused?: RefusedImages | undefined
}

export interface SentCorrection {
  answers: Answers
  client: Client
  customer: LooseCustomer
}

const buildWizard = (
  parts: readonly Part[],
  {draft, caller, refused = new Map()}: Pick<CorrectionContext, 'draft' | 'caller' | 'refused'>,
): ReviewedWizard => ({
  steps: (answers) =>
    buildCorrectionSteps(parts)(answers)
      .map((step) => warnOfRefused(step, refused))
      .map(acceptSample(caller)),
  objections: listObjections(buildCorrectionSteps(parts), {isWhole: false}),
  validate: (body) => findProblemsExceptFiles(customerPatch, body),
  draft,
  mask: (body) => maskPersonalData(body, customerPatch),
  sendLabel: 'Send the correction; verification starts again',
})

interface ReviewedAnswers {
  answers: Answers
  body: CustomerPatch
}

// Reviews the answers until the body is valid with the content of its documents.
async function reviewUntilValid(start: Answers, wizard: ReviewedWizard): Promise<ReviewedAnswers> {
  let problemRemarks: string[] = []
  const remarks = () => problemRemarks
  for (let answers = start; ;) {
    answers = await reviewAnswers(answers, {...wizard, remarks})
    const {body, problems: found} = await validateCustomerBody(customerPatch, answers.body)
    // The review has shown the warnings.
    const problems = found.filter(({isWarning}) => !isWarning)
    if (problems.length === 0) return {answers, body}
    problemRemarks = problems.map(({path, message}) => `${path} ${message}: change it before sending.`)
  }
}

// Returns undefined if the service rejects the data, which can then be changed.
async function sendCorrection(
  body: CustomerPatch,
  {customerId, guard, connect}: CorrectionContext,
): Promise<Omit<SentCorrection, 'answers'> | undefined> {
  await guard({method: 'PATCH', path: `/customers/${customerId}`})
  const client = await connect()
  try {
    return {client, customer: await client.customers.update({customerId, body})}
  } catch (error) {
    if (!(error instanceof SvcError) || error.error !== 'BAD_REQUEST') throw error
    printText(`The service rejected it: ${error.message}. Change it and send it again.`)
    return undefined
  }
}

const isBelow = (key: string, {path}: Concern) =>
  key === path || key.startsWith(`${path}.`) || key.startsWith(`${path}[`)

const toField = (key: string, {path}: Concern) => removeIndexes(key.slice(path.length)).replace(/^\./, '')

function isAbout(step: Step, concern: Concern): boolean {
  const key = getStepKey(step)
  if (!isBelow(key, concern)) return false
  const own = toField(key, concern)
  return concern.fields.length === 0 || concern.fields.some((field) => own === field || own.startsWith(`${field}.`))
}

// A concern about what was not given, such as a proof of address or a national ID, is answered by adding it.
function findMissing(steps: readonly Step[], concern: Concern): Step[] {
  const asked = new Set(
    steps.filter((step) => isAbout(step, concern)).map((step) => getFirstName(toField(getStepKey(step), concern))),
  )
  const missing = concern.fields.map(getFirstName).filter((name) => !asked.has(name))
  return steps.filter(isFork).filter(({fork}, index, forks) => {
    const own = toField(fork, concern)
    const isLast = !forks
      .slice(index + 1)
      .some((later) => isBelow(later.fork, concern) && toField(later.fork, concern) === own)
    return isBelow(fork, concern) && own !== '' && isLast && missing.some((name) => name.startsWith(own))
  })
}

// The steps to ask although their answers are known, by their keys.
function listConcerned(steps: readonly Step[], concerns: readonly Concern[]): Set<string> {
  const concerned = concerns.flatMap((concern) => [
    ...steps.filter((step) => isAbout(step, concern)),
    ...findMissing(steps, concern),
  ])
  return new Set(concerned.map(getStepKey))
}

// What is required and missing is asked, too, and a file that is no longer there.
async function findCarriedOver(
  start: Answers,
  wizard: ReviewedWizard,
  concerns: readonly Concern[],
): Promise<Set<string>> {
  const steps = wizard.steps(start)
  const concerned = listConcerned(steps, concerns)
  const answered = await findAnsweredSteps(start, wizard)
  const isNeeded = (step: Step) =>
    isQuestion(step) ? step.isRequired || getValue(start.body, step.path) !== undefined : isCount(step)
  const isOpen = (step: Step) => isNeeded(step) && !answered.has(getStepKey(step))
  return new Set(
    steps
      .filter((step) => !isOpen(step))
      .map(getStepKey)
      .filter((key) => !concerned.has(key)),
  )
}

async function askForParts(
  parts: readonly Part[],
  wizard: ReviewedWizard,
  {stored, known = {}, concerns = []}: CorrectionContext,
): Promise<Answers> {
  const prune = ({body, forks}: Answers): Answers => ({body: pruneDraft(parts, body), forks})
  const carried = prune({body: concerns.length > 0 ? known : {}, forks: {}})
  const isCarried = Object.keys(carried.body).length > 0
  const carriedOver = isCarried ? await findCarriedOver(carried, wizard, concerns) : new Set<string>()
  if (!stored) return runWizard(carried, wizard, carriedOver)
  const start = prune(stored)
  return runWizard(start, wizard, (await findStepsBefore(start, stored.at, wizard)).union(carriedOver))
}

export async function correctParts(parts: readonly Part[], context: CorrectionContext): Promise<SentCorrection> {
  const wizard = buildWizard(parts, context)
  let answers = await askForParts(parts, wizard, context)
  for (let wasRejected = false; ; wasRejected = true) {
    const start = answers
    const review = () => reviewUntilValid(start, wizard)
    const reviewed = await (wasRejected ? interruptAfterRejection(review) : review())
    answers = reviewed.answers
    const send = () => sendCorrection(reviewed.body, context)
    const sent = await sendAnswers(send, context.draft, (reply) => reply !== undefined)
    if (sent) return {...sent, answers}
  }
}

// A part that is corrected exists, so its first fork is not asked.
const impliedForks = new Set(
  [...createKycNodes(), ...createKybNodes()].flatMap((node) => {
    if (node.is === 'list') return [`${node.path}[0]`]
    return node.is === 'section' && node.question !== undefined ? [node.path] : []
  }),
)

// The steps that correct some parts of a submission.
const buildCorrectionSteps =
  (parts: readonly Part[]) =>
  ({body, forks}: Answers): Step[] => {
    const implied = Object.fromEntries([...impliedForks].map((fork) => [fork, true]))
    const steps = listSteps(parts, {body, forks: {...forks, ...implied}})
    return steps.filter((step) => !isFork(step) || !impliedForks.has(step.fork))
  }
