// Creates a customer once. The interface has no idempotency key for customers and no search, so svc reads the list before it sends
// anything, and again after an answer that was lost: in the same run and in the next one with the same data.
import type {z} from 'zod'
import type {Client} from '../client/client.ts'
import {createChangingList, getCutSign, readsMax, walkPages} from '../client/paging.ts'
import {startProgress} from '../cli/output/streams.ts'
import {toText} from '../cli/output/view.ts'
import type {customerCreate} from '../contract/customers.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {Declined, SvcError} from '../errors.ts'
import {type SentNote, type SentNotes, digest, withSentNotes} from '../storage/sent-notes.ts'
import type {Body} from '../values/body-paths.ts'
import {svc} from '../values/text.ts'
import {minuteMs} from '../values/time.ts'
import {type Caller, identifyService} from '../profiles/caller.ts'
import {listCustomers} from './answers.ts'
import {itemsSearchedMax} from '../cli/ids/finder.ts'
import {customerKind} from './find-customer.ts'

interface Search {
  // Those with the same email.
  found: LooseCustomer[]
  // The ids of all customers that were read, in the order of the list, and on how many pages.
  ids: string[]
  pages: number
  // Whether the list was read to its end.
  isWhole: boolean
}

const {getId, describe, outline} = customerKind

const normalizeEmail = (email: unknown) => toText(email).trim().toLowerCase()

// Where an earlier run may have made the customer, more of the list is read, since only its end
// tells that it was not.
const searchedAfterLossMax = itemsSearchedMax * 10

async function searchCustomers(client: Client, body: Body, limit = itemsSearchedMax): Promise<Search> {
  const wanted = normalizeEmail(body['email'])
  const found: LooseCustomer[] = []
  const ids: string[] = []
  let [pages, isWhole] = [0, false]
  const progress = startProgress()
  const list = walkPages((page) => listCustomers(client, page), 'customers', {limit})
  try {
    for await (const {items, envelope, resumeToken} of list) {
      found.push(...(items as LooseCustomer[]).filter(({email}) => normalizeEmail(email) === wanted))
      ids.push(...(items as LooseCustomer[]).map((customer) => getId(customer)))
      pages += 1
      isWhole = resumeToken === undefined && getCutSign(envelope) === undefined
      progress.report(`${ids.length} customers searched…`)
    }
  } finally {
    progress.end()
  }
  return {found, ids, pages, isWhole}
}

// The customer that this body made: new, with its email and type. The service calls a customer CREATED until verification data is
// submitted, so one that is still CREATED was made elsewhere if this body has such data, or is not to be told from it yet.
const findMade = ({found}: Search, {knownIds}: Pick<SentNote, 'knownIds'>, {customerType, kycData, kybData}: Body) =>
  found.find(
    (customer) =>
      getId(customer) !== '' &&
      !knownIds.includes(getId(customer)) &&
      readCode(customer.customerType) === customerType &&
      !((kycData ?? kybData) && readCode(customer.customerStatus) === 'CREATED'),
  )

// Whether two reads have seen the same customers, apart from new ones.
function isSameList({ids: before}: Search, {ids}: Search): boolean {
  const known = new Set(before)
  const again = ids.filter((id) => known.has(id))
  return again.length === before.length && again.every((id, index) => id === before[index])
}

// Reads the list after a lost answer, until two reads in a row have seen the same, or one is enough.
async function searchAfterLoss(client: Client, body: Body, isEnough: (search: Search) => boolean): Promise<Search> {
  let before: Search | undefined
  for (let reads = 1; reads <= readsMax; reads++) {
    const search = await searchCustomers(client, body, searchedAfterLossMax)
    if (search.pages <= 1 || isEnough(search) || (before && isSameList(before, search))) return search
    before = search
  }
  throw createChangingList('customers')
}

// A customer that was made is listed within this time after its answer was lost (docs/assumptions.md, C23).
const listedWithinMs = minuteMs

const againHint =
  'Run the same command again after a minute: it looks for the customer first, and creates it only if the service has not; --allow-duplicates creates it without looking'

// Whether it was made has to be certain before it is sent again. Time tells if the list can be read
// to its end, and else a person.
function rejectUnsettled({unlistedForMs}: SentNotes, {isWhole, ids}: Search): void {
  const sentBefore = 'An earlier run may have sent this email, and got no clear answer'
  if (unlistedForMs > 0) {
    throw new SvcError({
      error: 'OUTCOME_UNKNOWN',
      kind: 'unknownOutcome',
      message: `${sentBefore}, and the customer may not be listed yet`,
      hint: againHint.replace('after a minute', `in ${Math.ceil(unlistedForMs / 1000)} s`),
    })
  }
  if (isWhole) return
  throw new SvcError({
    error: 'DUPLICATE_CUSTOMER',
    kind: 'usage',
    message: `${sentBefore}, and the customer is not among the ${ids.length} that svc can read of the list, which goes on`,
    hint: 'Nothing was sent now. Look for the customer at the service; --allow-duplicates creates it without looking',
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

// Creates a customer under a note, which stays while it is not known whether the customer was made.
export const createOnce = (
  client: Client,
  body: z.input<typeof customerCreate>,
  context: CreationContext & {allowDuplicates: boolean},
): Promise<LooseCustomer> =>
  withSentNotes(
    'customers',
    [identifyService(context.caller), normalizeEmail(body.email)],
    listedWithinMs,
    async (notes) => {
      const send = (knownIds: readonly string[]) =>
        notes.send({content: digest(body), knownIds}, () => client.customers.create({body}), getId)
      return context.allowDuplicates ? send([]) : createIfMissing(client, body, context, notes, send)
    },
  )

// Returns the customer that an earlier run made whose answer was lost, or a new one.
async function createIfMissing(
  client: Client,
  body: Body,
  context: CreationContext,
  notes: SentNotes,
  send: (knownIds: readonly string[]) => Promise<LooseCustomer>,
): Promise<LooseCustomer> {
  const {notice} = context
  const {last, unlistedForMs} = notes
  const isUnsettled = last !== undefined && last.madeId === undefined
  const findMadeBefore = (search: Search) =>
    isUnsettled && last.content === digest(body) ? findMade(search, last, body) : undefined
  const isEnough = (search: Search) => unlistedForMs > 0 || !search.isWhole || findMadeBefore(search) !== undefined
  const search = await (isUnsettled ? searchAfterLoss(client, body, isEnough) : searchCustomers(client, body))
  const madeBefore = findMadeBefore(search)
  if (madeBefore) {
    notes.confirm(getId(madeBefore))
    notice('An earlier run sent this and got no clear answer: the service made the customer. Nothing was sent now.')
    return madeBefore
  }

  if (isUnsettled) rejectUnsettled(notes, search)
  if (!search.isWhole) {
    notice(
      `The first ${search.ids.length} customers were searched, and the list goes on: this one may exist all the same.`,
    )
  }
  const isMadeUnlisted = last?.madeId !== undefined && unlistedForMs > 0 && search.found.length === 0
  await confirmAnother(isMadeUnlisted ? [{...body, customerId: last.madeId}] : search.found, context)

  const knownIds = search.found.map(getId)
  try {
    return await send(knownIds)
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind !== 'unknownOutcome') throw error
    const after = await searchCustomers(client, body).catch(() => undefined)
    const made = after && findMade(after, {knownIds}, body)
    if (!made) throw error.with({hint: againHint})
    notes.confirm(getId(made))
    notice('The service gave no clear answer, but it made the customer: it is in its list.')
    return made
  }
}
