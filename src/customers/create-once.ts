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
import {type Body, getValue} from '../values/body-paths.ts'
import {foldCase, maskEmails, maskName, quoteForShell} from '../values/text.ts'
import {formatDuration, minuteMs} from '../values/time.ts'
import {type AnswersCaller, getServiceName} from './answers.ts'
import {customerKind, customersSearchedMax} from './find-customer.ts'

type NewCustomer = z.input<typeof customerCreate>

// How a customer is like the new one.
type Likeness = 'email' | 'name'

interface Found {
  likeness: Likeness
  customer: LooseCustomer
}

interface Search {
  found: Found[]
  count: number
  // Whether the list was read to its end.
  isWhole: boolean
}

const toComparable = (text: string) => foldCase(text).trim().replaceAll(/\s+/g, ' ')

// The names that the service may show for the new customer.
function listNames(body: Body): Set<string> {
  const join = (...paths: string[]) => toComparable(paths.map((each) => toText(getValue(body, each))).join(' '))
  const names =
    body['customerType'] === 'BUSINESS'
      ? [join('businessName'), join('kybData.businessInfo.legalBusinessName')]
      : [
          join('firstName', 'lastName'),
          join('kycData.legalFirstName', 'kycData.legalLastName'),
          join('kycData.legalFirstName', 'kycData.legalMiddleName', 'kycData.legalLastName'),
        ]
  return new Set(names.filter((name) => name !== ''))
}

// The service shows no dates of birth, so a person of the same name counts only if a date of birth says that one person is meant
// (docs/assumptions.md, C23).
const isOnePerson = (body: Body) =>
  body['customerType'] === 'BUSINESS' || getValue(body, 'kycData.dateOfBirth') !== undefined

function createLikenessTest(body: Body): (customer: LooseCustomer) => Likeness | undefined {
  const email = toText(body['email']).trim().toLowerCase()
  const names = isOnePerson(body) ? listNames(body) : new Set()
  return (customer) => {
    if (toText(customer.email).trim().toLowerCase() === email) return 'email'
    const isSameType = readCode(customer.customerType) === body['customerType']
    return isSameType && names.has(toComparable(toText(customer.name))) ? 'name' : undefined
  }
}

async function searchCustomers(client: Client, body: Body): Promise<Search> {
  const getLikeness = createLikenessTest(body)
  const search: Search = {found: [], count: 0, isWhole: false}
  const progress = startProgress()
  const pages = walkPages((page) => client.customers.list(page), 'customers', {limit: customersSearchedMax})
  try {
    for await (const {items, envelope, resumeToken} of pages) {
      for (const customer of items) {
        const likeness = getLikeness(customer)
        if (likeness) search.found.push({likeness, customer})
      }
      search.count += items.length
      search.isWhole = resumeToken === undefined && getCutSign(envelope) === undefined
      progress.report(`${search.count} customers searched…`)
    }
  } finally {
    progress.end()
  }
  return search
}

// A list that cannot be read stops the creation before anything is sent.
async function searchOrExplain(client: Client, body: Body): Promise<Search> {
  try {
    return await searchCustomers(client, body)
  } catch (error) {
    if (!(error instanceof SvcError) || !['refused', 'unreachable'].includes(error.kind)) throw error
    throw new SvcError({
      error: error.error,
      kind: error.kind,
      effect: 'none',
      statusCode: error.statusCode,
      message: `svc could not look whether the customer exists already: ${error.sentence}`,
      hint: joinParts(error.hint, 'nothing was sent, and --allow-duplicates creates it without looking'),
      cause: error,
    })
  }
}

const {getId} = customerKind

// What a run that sent a customer leaves until it knows the outcome: no data, only a digest of it.
interface SentMark {
  sentAtMs: number
  // The customers that were like it before.
  knownIds: string[]
}

class SentMarkFile {
  readonly #file: string

  constructor(caller: AnswersCaller, body: Body) {
    const content = JSON.stringify([getServiceName(caller), body])
    const digest = createHash('sha256').update(content).digest('hex')
    this.#file = path.join(getStateFolder(), 'sent-customers', `${digest}.json`)
  }

  read(): SentMark | undefined {
    try {
      return JSON.parse(fs.readFileSync(this.#file, 'utf8')) as SentMark
    } catch {
      return undefined
    }
  }

  // Without a place to keep it, the next run still finds the customer by its email.
  write(knownIds: string[]): void {
    const mark: SentMark = {sentAtMs: Date.now(), knownIds}
    try {
      makePrivateFolder(path.dirname(this.#file))
      replacePrivateFile(this.#file, `${JSON.stringify(mark)}\n`)
    } catch {}
  }

  remove(): void {
    fs.rmSync(this.#file, {force: true})
  }
}

const likenessWords: Readonly<Record<Likeness, string>> = {
  email: 'this email',
  name: 'this name (the service shows no dates of birth, so it may be somebody else)',
}

// By email alone, if there is one: what differs in the email and has the same name says less.
function describeFound(found: readonly Found[]): {words: string; customers: LooseCustomer[]} {
  const byEmail = found.filter(({likeness}) => likeness === 'email')
  const likeness = byEmail.length > 0 ? 'email' : 'name'
  const customers = found.filter((each) => each.likeness === likeness).map(({customer}) => customer)
  const count = customers.length === 1 ? 'A customer with' : `${customers.length} customers with`
  return {
    words: `${count} ${likenessWords[likeness]} ${customers.length === 1 ? 'exists' : 'exist'} already`,
    customers,
  }
}

const customersNamedMax = 10

function createDuplicateError(found: readonly Found[]): SvcError {
  const {words, customers} = describeFound(found)
  const [first = {}] = customers
  return new SvcError({
    error: 'DUPLICATE_CUSTOMER',
    kind: 'usage',
    message: words,
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
    if (found.length === 0) return []
    const {words, customers} = describeFound(found)
    return customers.slice(0, customersNamedMax).map((each) => `${words}: ${describeForScript(each)}`)
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

  // Returns the customer that an earlier run made whose answer was lost, or a new one.
  async create(client: Client, body: NewCustomer): Promise<LooseCustomer> {
    const mark = new SentMarkFile(this.#context.caller, body)
    const search = await searchOrExplain(client, body)
    const sent = mark.read()
    const made = sent && findMade(search, sent.knownIds)
    if (made) {
      mark.remove()
      this.#context.notice(
        'An earlier run sent this and got no clear answer: the service made the customer. Nothing was sent now.',
      )
      return made
    }
    if (sent) rejectUnsettled(sent, search)
    await this.#confirm(search)
    return this.#send(
      client,
      body,
      mark,
      search.found.map(({customer}) => getId(customer)),
    )
  }

  // Asks about those with the same email as soon as it is typed. Returns whether the email is to stay.
  async confirmEmail(body: Body): Promise<boolean> {
    const {found} = await searchCustomers(await this.#context.connect(), {email: body['email']})
    const left = this.#listNew(found)
    if (left.length === 0) return true
    this.#describe(left)
    const {askYesNo} = await import('../cli/prompts/ask.ts')
    if (!(await askYesNo('Create another customer with this email?'))) return false
    this.#accept(left)
    return true
  }

  #listNew(found: readonly Found[]): Found[] {
    return found.filter(({customer}) => !this.#accepted.has(getId(customer)))
  }

  #accept(found: readonly Found[]): void {
    for (const {customer} of found) this.#accepted.add(getId(customer))
  }

  #describe(found: readonly Found[]): void {
    const {words, customers} = describeFound(found)
    this.#context.notice(`${words}:`)
    for (const customer of customers.slice(0, customersNamedMax)) {
      this.#context.notice(`  ${describeForPerson(customer)}`)
    }
  }

  async #confirm({found, count, isWhole}: Search): Promise<void> {
    const {canAsk, notice} = this.#context
    if (!isWhole) {
      notice(`The first ${count} customers were searched, and the list goes on: this one may exist all the same.`)
    }
    const left = this.#listNew(found)
    if (left.length === 0) return
    if (!canAsk) throw createDuplicateError(left)
    this.#describe(left)
    const {askYes} = await import('../cli/prompts/ask.ts')
    if (!(await askYes('Create another customer all the same?'))) throw new Declined()
    this.#accept(left)
  }

  async #send(client: Client, body: NewCustomer, mark: SentMarkFile, knownIds: string[]): Promise<LooseCustomer> {
    mark.write(knownIds)
    try {
      const customer = await client.customers.create({body})
      mark.remove()
      return customer
    } catch (error) {
      if (!(error instanceof SvcError) || error.effect !== 'none')
        return this.#findAfterLoss(error, client, body, mark, knownIds)
      mark.remove()
      throw error
    }
  }

  async #findAfterLoss(
    failure: unknown,
    client: Client,
    body: Body,
    mark: SentMarkFile,
    knownIds: string[],
  ): Promise<LooseCustomer> {
    if (!(failure instanceof SvcError) || failure.kind !== 'unknownOutcome') throw failure
    const search = await searchCustomers(client, body).catch(() => undefined)
    const made = search && findMade(search, knownIds)
    if (!made) throw describeLoss(failure)
    mark.remove()
    this.#context.notice('The service gave no clear answer, but it made the customer: it is in its list.')
    return made
  }
}

const findMade = ({found}: Search, knownIds: readonly string[]) =>
  found.find(
    ({likeness, customer}) => likeness === 'email' && getId(customer) !== '' && !knownIds.includes(getId(customer)),
  )?.customer

const againHint =
  'Run the same command again after a minute: it looks for the customer first, and creates it only if the service has not'

const describeLoss = (error: SvcError) =>
  new SvcError({
    error: error.error,
    kind: error.kind,
    statusCode: error.statusCode,
    message: error.sentence,
    reason: error.reason,
    hint: againHint,
    cause: error,
  })

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
