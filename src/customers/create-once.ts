// Creates a customer once. The interface has no idempotency key for customers and no search, so svc reads the list before it sends
// anything, and again after an answer that was lost: in the same run and in the next one with the same data.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type {z} from 'zod'
import type {Client} from '../client/client.ts'
import {getCutSign, walkPages} from '../client/paging.ts'
import {startProgress} from '../cli/output/streams.ts'
import {toText} from '../cli/output/view.ts'
import type {customerCreate} from '../contract/customers.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {Declined, SvcError} from '../errors.ts'
import {getStateFolder} from '../storage/folders.ts'
import {makePrivateFolder, replacePrivateFile} from '../storage/private-file.ts'
import type {Body} from '../values/body-paths.ts'
import {svc} from '../values/text.ts'
import {minuteMs} from '../values/time.ts'
import type {Caller} from '../profiles/caller.ts'
import {getServiceName, listCustomers} from './answers.ts'
import {itemsSearchedMax} from '../cli/ids/finder.ts'
import {customerKind} from './find-customer.ts'

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
  const found: LooseCustomer[] = []
  let [count, isWhole] = [0, false]
  const progress = startProgress()
  const pages = walkPages((page) => listCustomers(client, page), 'customers', {limit: itemsSearchedMax})
  try {
    for await (const {items, envelope, resumeToken} of pages) {
      found.push(...(items as LooseCustomer[]).filter(({email}) => normalize(email) === wanted))
      count += items.length
      isWhole = resumeToken === undefined && getCutSign(envelope) === undefined
      progress.report(`${count} customers searched…`)
    }
  } finally {
    progress.end()
  }
  return {found, count, isWhole}
}

const {getId, describe, outline} = customerKind

// What a run that sent a customer leaves until it knows the outcome: no data, only a digest of it.
interface SentMark {
  sentAtMs: number
  // The customers that had its email before.
  knownIds: string[]
}

function getMarkFile(caller: Caller, body: Body): string {
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

// Once a customer was made whatever exists, an earlier run with a lost answer no longer matters.
export const forgetSending = (caller: Caller, body: Body) => removeMark(getMarkFile(caller, body))

// The customer that this body made: new, with its email and type. The service calls a customer CREATED until verification data is
// submitted, so one that is still CREATED was made elsewhere if this body has such data, or is not to be told from it yet.
const findMade = ({found}: Search, {knownIds}: SentMark, {customerType, kycData, kybData}: Body) =>
  found.find(
    (customer) =>
      getId(customer) !== '' &&
      !knownIds.includes(getId(customer)) &&
      readCode(customer.customerType) === customerType &&
      !((kycData ?? kybData) && readCode(customer.customerStatus) === 'CREATED'),
  )

// A customer that was made is listed within this time after its answer was lost (docs/assumptions.md, C23).
const listedWithinMs = minuteMs

const againHint =
  'Run the same command again after a minute: it looks for the customer first, and creates it only if the service has not; --allow-duplicates creates it without looking'

// Whether it was made has to be certain before it is sent again.
function rejectUnsettled({sentAtMs}: SentMark, {isWhole}: Search): void {
  const ageMs = Date.now() - sentAtMs
  if (isWhole && (ageMs < 0 || ageMs >= listedWithinMs)) return
  throw new SvcError({
    error: 'OUTCOME_UNKNOWN',
    kind: 'unknownOutcome',
    message:
      'An earlier run sent this and got no clear answer, and the customer is not yet in what svc can read of the list',
    hint: againHint,
  })
}

interface CreationContext {
  caller: Caller
  canAsk: boolean
  notice: (text: string) => void
}

const customersNamedMax = 10

// A person sees who it is. An error may end up in a log, so it names nobody.
async function confirmAnother(others: readonly LooseCustomer[], {canAsk, notice}: CreationContext): Promise<void> {
  const [first] = others
  if (!first) return
  const shown = others.slice(0, customersNamedMax)
  const message = 'A customer with this email exists already'
  if (!canAsk) {
    throw new SvcError({
      error: 'DUPLICATE_CUSTOMER',
      kind: 'usage',
      message,
      hint: `Nothing was sent; ${svc`customers get ${getId(first)}`} shows it, and --allow-duplicates creates another`,
      problems: shown.map(outline),
    })
  }
  notice(`${message}:`)
  for (const customer of shown) notice(`  ${describe(customer)}, ${getId(customer)}`)
  const {askYes} = await import('../cli/prompts/ask.ts')
  if (!(await askYes('Create another customer all the same?'))) throw new Declined()
}

// Returns the customer that an earlier run made whose answer was lost, or a new one. The mark stays while it is not known whether the
// customer was made.
export async function createOnce(
  client: Client,
  body: z.input<typeof customerCreate>,
  context: CreationContext,
): Promise<LooseCustomer> {
  const {caller, notice} = context
  const file = getMarkFile(caller, body)
  const search = await searchCustomers(client, body)
  const before = readMark(file)
  const madeBefore = before && findMade(search, before, body)
  if (madeBefore) {
    removeMark(file)
    notice('An earlier run sent this and got no clear answer: the service made the customer. Nothing was sent now.')
    return madeBefore
  }
  if (before) rejectUnsettled(before, search)
  if (!search.isWhole) {
    notice(`The first ${search.count} customers were searched, and the list goes on: this one may exist all the same.`)
  }
  await confirmAnother(search.found, context)
  const mark: SentMark = {sentAtMs: Date.now(), knownIds: search.found.map(getId)}
  writeMark(file, mark)
  try {
    const customer = await client.customers.create({body})
    removeMark(file)
    return customer
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    if (error.effect === 'none') removeMark(file)
    if (error.kind !== 'unknownOutcome') throw error
    const after = await searchCustomers(client, body).catch(() => undefined)
    const made = after && findMade(after, mark, body)
    if (!made) throw error.with({hint: againHint})
    removeMark(file)
    notice('The service gave no clear answer, but it made the customer: it is in its list.')
    return made
  }
}
