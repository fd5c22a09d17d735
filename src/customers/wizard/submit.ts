// Talks a person through creating a customer or giving its verification data, up to the body that is to be sent.
import {customerCreate, customerPatch, customerTypes} from '../../contract/customers.ts'
import type {z} from 'zod'
import {Declined, SvcError} from '../../errors.ts'
import {customerBody} from '../body.ts'
import {problemsBesidesFiles} from '../problems.ts'
import {masked} from '../masked.ts'
import {rejectProblems} from '../../cli/body/reject-problems.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {kybParts} from './business.ts'
import {converse, insist, settledSteps} from '../../cli/wizard/wizard.ts'
import {creationSteps, typeChoices} from './create.ts'
import {type Drafts, checkDraftFile, draftsIn} from '../../cli/wizard/drafts.ts'
import {kycParts} from './person.ts'
import {valueAt} from '../../cli/wizard/paths.ts'
import {askOneOf, keysInWords} from '../../cli/wizard/prompts.ts'
import {type Answers, type Part, isFork, keyOf, stepsOf} from '../../cli/wizard/questions.ts'
import {type Reviewed, reviewed} from '../../cli/wizard/review.ts'
import {say} from '../../cli/wizard/print.ts'
import {askSomeOf} from '../../cli/wizard/multi-select.ts'

export interface TalkFlags {
  save?: string | undefined
  resume?: string | undefined
  'dry-run': boolean
  quiet?: boolean | undefined
}

// Where it goes, so that nobody takes live for the sandbox.
export interface Place {
  baseUrl: string
  label: string
  environment: string
}

export interface Talked {
  // What a file with the same values would hold, documents as paths.
  body: Body
  // Sends it; what cannot be sent is kept as a draft.
  keeping: <T>(send: () => Promise<T>) => Promise<T>
}

// What no question can cure, such as a field that the interface does not have: a draft with it is damaged.
function refuseIncurable(answers: Answers, {steps, problems, masked: hide}: Reviewed): void {
  const curable = steps(answers).map(keyOf)
  const isCurable = (path: string) => curable.some((key) => path === key || path.startsWith(`${key}[`))
  const incurable = problems(answers.body).filter(({path}) => !isCurable(path))
  rejectProblems(incurable, hide?.(answers.body) ?? {})
}

// Whoever wrote the draft went past everything before its last answer, so what has none there was skipped.
function skippedIn(draft: Body, {steps}: Reviewed): string[] {
  const answers = {body: draft, forks: {}}
  const all = steps(answers)
  const last = all.findLastIndex((step) => !isFork(step) && valueAt(draft, step.path) !== undefined)
  return all.filter((step, index) => index < last && (isFork(step) || !step.isRequired)).map(keyOf)
}

// All questions, but those that the draft or what was given has settled.
export async function conversed(start: Answers, conversation: Reviewed, draft: Body | undefined): Promise<Answers> {
  refuseIncurable(start, conversation)
  const passed = await settledSteps(start, conversation)
  for (const key of draft ? skippedIn(draft, conversation) : []) passed.add(key)
  return converse(start, conversation, passed)
}

async function talk(
  start: Answers,
  conversation: Reviewed,
  draft: Body | undefined,
  {quiet}: TalkFlags,
): Promise<Talked> {
  const {body} = await reviewed(await conversed(start, conversation, draft), conversation)
  return {body, keeping: (send) => keeping(send, body, conversation.drafts, quiet)}
}

// Sends; what cannot be sent is kept as a draft.
export async function keeping<T>(send: () => Promise<T>, body: Body, drafts: Drafts, isQuiet = false): Promise<T> {
  try {
    const sent = await send()
    const file = drafts.written()
    if (file !== undefined && !isQuiet) say(`${file} holds personal data: remove it when you need it no longer.`)
    return sent
  } catch (error) {
    // Who leaves has said what becomes of it; who only says no has not.
    const isLeft = error instanceof SvcError && error.kind === 'interrupted' && !(error instanceof Declined)
    if (error instanceof SvcError && !isLeft) await rescued(body, drafts)
    else await drafts.leave(body)
    throw error
  }
}

// What went wrong is told in any case, also to whoever turns away from the question whether to keep a draft.
async function rescued(body: Body, drafts: Drafts): Promise<void> {
  try {
    await drafts.rescue(body)
  } catch {
    say('It was not kept.')
  }
}

const draftOf = async (schema: z.ZodType, {resume}: TalkFlags): Promise<Body | undefined> =>
  resume === undefined ? undefined : customerBody(schema, {file: resume})

const sendingWords = ({'dry-run': isDryRun}: TalkFlags, words: string) => (isDryRun ? 'Show what would be sent' : words)

const placeWords = ({'dry-run': isDryRun}: TalkFlags, place: Place | undefined): string[] =>
  isDryRun || !place ? [] : [`It goes to ${place.baseUrl} (${place.label}, ${place.environment}).`]

const lockWords = 'What is sent for verification is locked until it is decided.'

function opened(flags: TalkFlags): void {
  checkDraftFile(flags.save, flags.resume)
  say(keysInWords)
}

// Asks for what the flags and files leave open.
export async function talkOverCreation(given: Body, flags: TalkFlags, place?: Place): Promise<Talked> {
  opened(flags)
  return talk(
    {body: given, forks: {}},
    {
      steps: creationSteps,
      problems: (body) => problemsBesidesFiles(customerCreate, body),
      drafts: draftsIn(flags.save ?? flags.resume, 'customers create'),
      masked: (body) => masked(body, customerCreate),
      sending: sendingWords(flags, 'Create the customer'),
      remarks: ({body}) => [...((body['kycData'] ?? body['kybData']) ? [lockWords] : []), ...placeWords(flags, place)],
    },
    await draftOf(customerCreate, flags),
    flags,
  )
}

export interface Updated {
  customerId: string
  customerStatus?: unknown
  customerType?: unknown
}

const dataOf = {INDIVIDUAL: () => kycParts(), BUSINESS: () => kybParts()} as const

type CustomerType = (typeof customerTypes)[number]

const isKnownType = (type: unknown): type is CustomerType => customerTypes.some((each) => each === type)

// A list replaces the one before it, and nothing that was submitted can be read back.
const listWords = 'Documents and people replace those that were submitted before, so give all of them.'

// The parts that a draft has begun are chosen already.
async function chosenParts(parts: readonly Part[], {body}: Answers, isFirst: boolean): Promise<readonly Part[]> {
  if (isFirst) {
    const isWhole = await askOneOf('What do you want to submit?', [
      {name: 'Everything that verification asks for', value: true},
      {name: 'Only some parts', value: false},
    ])
    if (isWhole) return parts
  }
  const isBegun = ({steps}: Part) =>
    steps({body, forks: {}}).some((step) => !isFork(step) && valueAt(body, step.path) !== undefined)
  const choices = parts.map((part) => ({name: part.label, value: part}))
  return askSomeOf('Which parts do you want to give?', choices, parts.filter(isBegun))
}

// Whoever chose a part wants to give it, so whether there is one is not asked.
function withFirstForks(parts: readonly Part[], answers: Answers): Answers {
  const forks = parts.map(({steps}) => steps(answers)[0]).filter((step) => step !== undefined && isFork(step))
  return {...answers, forks: Object.fromEntries(forks.map((step) => [keyOf(step), true]))}
}

// Asks which parts of the data to give, and for them.
export async function talkOverUpdate(given: Body, customer: Updated, flags: TalkFlags, place: Place): Promise<Talked> {
  opened(flags)
  const start: Answers = {body: given, forks: {}}
  const isFirst = customer.customerStatus === 'CREATED'
  const conversation: Reviewed = {
    steps: () => [],
    problems: (body) => problemsBesidesFiles(customerPatch, body),
    drafts: draftsIn(flags.save ?? flags.resume, `customers update ${customer.customerId}`),
    masked: (body) => masked(body, customerPatch),
    sending: sendingWords(flags, 'Send it for verification'),
    remarks: () => [lockWords, ...placeWords(flags, place)],
  }
  const type = isKnownType(customer.customerType)
    ? customer.customerType
    : await insist(() => askOneOf('A person or a business?', typeChoices), start, conversation)
  const parts = dataOf[type]()
  const chosen = await insist(() => chosenParts(parts, start, isFirst), start, conversation)
  if (!isFirst && chosen.some(({name}) => /documents|associatedPersons/i.test(name))) say(listWords)
  const answers = chosen === parts ? start : withFirstForks(chosen, start)
  const steps = (each: Answers) => stepsOf(chosen, each)
  return talk(answers, {...conversation, steps}, await draftOf(customerPatch, flags), flags)
}
