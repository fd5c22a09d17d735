// Creates a customer once. The interface has no idempotency key for customers and no search, so svc reads the list before it sends
// anything, and again after an answer that was lost: in the same run and in the next one with the same data.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type {z} from 'zod'
import type {Client} from '../client/client.ts'
import {getCutSign, walkPages} from '../client/paging.ts'
import {startProgress} from '../cli/output/streams.ts'
import {formatMinute, joinParts, toText} from '../cli/output/view.ts'
import type {customerCreate} from '../contract/customers.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {Declined, SvcError} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import type {Body} from '../values/body-paths.ts'
import {maskEmails, maskName, quoteForShell} from '../values/text.ts'
import {formatDuration, minuteMs} from '../values/time.ts'
import {type AnswersCaller, getServiceName, listCustomers} from './answers.ts'
import {customerKind, customersSearchedMax} from './find-customer.ts'

type NewCustomer = z.input<typeof customerCreate>

interface Search {
  // Those with the same email.
  found: LooseCustomer[]
  count: number
  // Whether the list was read to its end.
  isWhole: boolean
}

async function searchCustomers(client: Client, body: Body): Promise<Search> {
  const normalize = (email: unknown) => toText(email).trim().toLowerCase()
  const wanted = normalize(body['email'])
  const search: Search = {found: [], count: 0, isWhole: false}
  const progress = startProgress()
  const pages = walkPages((page) => listCustomers(client, page), 'customers', {limit: customersSearchedMax})
  try {
    for await (const {items, envelope, resumeToken} of pages) {
      search.found.push(...(items as LooseCustomer[]).filter(({email}) => normalize(email) === wanted))
      search.count += items.length
      search.isWhole = resumeToken === undefined && getCutSign(envelope) === undefined
      progress.report(`${search.count} customers searched…`)
    }
  } finally {
    progress.end()
  }
  return search
}

// The same failure, said of the creation.
const reword = (failure: SvcError, {message, hint}: {message: string; hint: string}) =>
  new SvcError({
    error: failure.error,
    kind: failure.kind,
    effect: failure.effect,
    statusCode: failure.statusCode,
    reason: failure.reason,
    message,
    hint,
    cause: failure,
  })

// A list that cannot be read stops the creation before anything is sent.
const searchOrExplain = (client: Client, body: Body): Promise<Search> =>
  searchCustomers(client, body).catch((error: unknown) => {
    if (!(error instanceof SvcError) || !['refused', 'unreachable'].includes(error.kind)) throw error
    throw reword(error, {
      message: `svc could not look whether the customer exists already: ${error.sentence}`,
      hint: joinParts(error.hint, 'nothing was sent, and --allow-duplicates creates it without looking'),
    })
  })

const {getId} = customerKind

// What a run that sent a customer leaves until it knows the outcome: no data, only a digest of it.
interface SentMark {
  sentAtMs: number
  // The customers that had its email before.
  knownIds: string[]
}

function getMarkFile(caller: AnswersCaller, body: Body): string {
  const content = JSON.stringify([getServiceName(caller), body])
  return path.join(getStateFolder(), 'sent-customers', `${createHash('sha256').update(content).digest('hex')}.json`)
}

function readMark(file: string): SentMark | undefined {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')) as SentMark
  } catch {
    return undefined
  }
}

// Without a place to keep it, the next run still finds the customer by its email.
function writeMark(file: string, mark: SentMark): void {
  try {
    makePrivateFolder(path.dirname(file))
    replacePrivateFile(file, `${JSON.stringify(mark)}\n`)
  } catch {}
}

const removeMark = (file: string) => fs.rmSync(file, {force: true})

const describeCount = ({length}: readonly unknown[]) =>
  length === 1 ? 'A customer with this email exists already' : `${length} customers with this email exist already`

const customersNamedMax = 10

function createDuplicateError(customers: readonly LooseCustomer[]): SvcError {
  const [first = {}] = customers
  return new SvcError({
    error: 'DUPLICATE_CUSTOMER',
    kind: 'usage',
    message: describeCount(customers),
    hint: `Nothing was sent; \`svc customers get ${quoteForShell(getId(first))}\` shows it, and --allow-duplicates creates another`,
    problems: customers.slice(0, customersNamedMax).map(describeForScript),
  })
}

// An error may end up in a log, so a person is named only as far as who knows it recognizes it.
function describeForScript(customer: LooseCustomer): string {
  const {name, email, customerType, customerStatus} = customer
  const text = toText(name)
  const shown = readCode(customerType) === 'BUSINESS' ? text : maskName(text)
  return joinParts(shown, maskEmails(toText(email)), customerType, customerStatus, getId(customer))
}

// What else there is to say about a body that is not sent for other reasons. Nothing if the list cannot be read now.
export async function listDuplicates(connect: () => Promise<Client>, body: Body): Promise<string[]> {
  try {
    const {found} = await searchCustomers(await connect(), body)
    const words = describeCount(found)
    return found.slice(0, customersNamedMax).map((each) => `${words}: ${describeForScript(each)}`)
  } catch (error) {
    if (error instanceof SvcError && error.kind !== 'interrupted') return []
    throw error
  }
}

const describeForPerson = (customer: LooseCustomer) =>
  joinParts(customerKind.describe(customer), `since ${toText(formatMinute(customer.updatedAt))}`, getId(customer))

interface CreationContext {
  caller: AnswersCaller
  connect: () => Promise<Client>
  canAsk: boolean
  notice: (text: string) => void
}

// A customer that was made is listed within this time after its answer was lost (docs/assumptions.md, C23).
const listedWithinMs = minuteMs

export class CustomerCreation {
  readonly #context: CreationContext
  // Those that a person has accepted.
  readonly #accepted = new Set<string>()

  constructor(context: CreationContext) {
    this.#context = context
  }

  // Creates it whatever exists. An earlier run with a lost answer no longer matters then.
  async createAnother(client: Client, body: NewCustomer): Promise<LooseCustomer> {
    const customer = await client.customers.create({body})
    removeMark(getMarkFile(this.#context.caller, body))
    return customer
  }

  // Returns the customer that an earlier run made whose answer was lost, or a new one.
  async create(client: Client, body: NewCustomer): Promise<LooseCustomer> {
    const {caller, canAsk, notice} = this.#context
    const markFile = getMarkFile(caller, body)
    const search = await searchOrExplain(client, body)
    const mark = readMark(markFile)
    const made = mark && findMade(search, mark.knownIds, body)
    if (made) {
      removeMark(markFile)
      notice('An earlier run sent this and got no clear answer: the service made the customer. Nothing was sent now.')
      return made
    }
    if (mark) rejectUnsettled(mark, search)
    const {found, count, isWhole} = search
    if (!isWhole) {
      notice(`The first ${count} customers were searched, and the list goes on: this one may exist all the same.`)
    }
    const others = this.#listOthers(found)
    if (others.length > 0 && !canAsk) throw createDuplicateError(others)
    if (!(await this.#accepts(others, 'Create another customer all the same?'))) throw new Declined()
    return this.#send(client, body, markFile, found.map(getId))
  }

  // Asks about those with the same email as soon as it is typed. Returns whether the email is to stay.
  async confirmEmail({email}: Body): Promise<boolean> {
    const {found} = await searchCustomers(await this.#context.connect(), {email})
    return this.#accepts(this.#listOthers(found), 'Create another customer with this email?')
  }

  #listOthers(found: readonly LooseCustomer[]): LooseCustomer[] {
    return found.filter((customer) => !this.#accepted.has(getId(customer)))
  }

  async #accepts(others: readonly LooseCustomer[], question: string): Promise<boolean> {
    if (others.length === 0) return true
    this.#context.notice(`${describeCount(others)}:`)
    for (const customer of others.slice(0, customersNamedMax)) {
      this.#context.notice(`  ${describeForPerson(customer)}`)
    }
    const {askYes} = await import('../cli/prompts/ask.ts')
    const isAccepted = await askYes(question)
    if (isAccepted) for (const customer of others) this.#accepted.add(getId(customer))
    return isAccepted
  }

  // The mark stays while it is not known whether the customer was made.
  async #send(client: Client, body: NewCustomer, markFile: string, knownIds: string[]): Promise<LooseCustomer> {
    writeMark(markFile, {sentAtMs: Date.now(), knownIds})
    try {
      const customer = await client.customers.create({body})
      removeMark(markFile)
      return customer
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      if (error.effect === 'none') removeMark(markFile)
      if (error.kind !== 'unknownOutcome') throw error
      const search = await searchCustomers(client, body).catch(() => undefined)
      const made = search && findMade(search, knownIds, body)
      if (!made) throw reword(error, {message: error.sentence, hint: againHint})
      removeMark(markFile)
      this.#context.notice('The service gave no clear answer, but it made the customer: it is in its list.')
      return made
    }
  }
}

// The customer that this body made: new, with its email and type. The service calls a customer CREATED until verification data is
// submitted, so one that is still CREATED was made elsewhere if this body has such data, or is not to be told from it yet.
const findMade = ({found}: Search, knownIds: readonly string[], {customerType, kycData, kybData}: Body) =>
  found.find(
    (customer) =>
      getId(customer) !== '' &&
      !knownIds.includes(getId(customer)) &&
      readCode(customer.customerType) === customerType &&
      !((kycData ?? kybData) && readCode(customer.customerStatus) === 'CREATED'),
  )

const againHint =
  'Run the same command again after a minute: it looks for the customer first, and creates it only if the service has not'

// Whether it was made has to be certain before it is sent again.
function rejectUnsettled({sentAtMs}: SentMark, {isWhole, count}: Search): void {
  const ageMs = Date.now() - sentAtMs
  if (ageMs >= 0 && ageMs < listedWithinMs) {
    throw new SvcError({
      error: 'OUTCOME_UNKNOWN',
      kind: 'unknownOutcome',
      message: `An earlier run sent this ${formatDuration(Math.max(1000, ageMs))} ago and got no clear answer, and the service does not list the customer yet`,
      hint: againHint,
    })
  }
  if (isWhole) return
  throw new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message: `An earlier run sent this and got no clear answer. The customer is not among the first ${count}, and the list goes on`,
    hint: 'Look for it with `svc customers list --search EMAIL`; --allow-duplicates creates it without looking',
  })
}
