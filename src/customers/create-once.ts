// Creates a customer that does not exist yet. The interface has no idempotency key for customers and no search, so svc reads the list
// before it sends anything. After an answer that was lost the same command tells, by the same look, whether the customer was made.
import type {z} from 'zod'
import type {Client} from '../client/client.ts'
import {getCutSign, walkPages} from '../client/paging.ts'
import {startProgress} from '../cli/output/streams.ts'
import {toText} from '../cli/output/view.ts'
import type {customerCreate} from '../contract/customers.ts'
import type {LooseCustomer} from '../contract/loose.ts'
import {Declined, SvcError} from '../errors.ts'
import type {Body} from '../values/body-paths.ts'
import {quoteForShell} from '../values/text.ts'
import {listCustomers} from './answers.ts'
import {itemsSearchedMax} from '../cli/ids/finder.ts'
import {customerKind} from './find-customer.ts'

// Those with the same email. The list is whole if it was read to its end.
async function searchCustomers(client: Client, body: Body) {
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

interface CreationContext {
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
      hint: `Nothing was sent; \`svc customers get ${quoteForShell(getId(first))}\` shows it, and --allow-duplicates creates another`,
      problems: shown.map(outline),
    })
  }
  notice(`${message}:`)
  for (const customer of shown) notice(`  ${describe(customer)}, ${getId(customer)}`)
  const {askYes} = await import('../cli/prompts/ask.ts')
  if (!(await askYes('Create another customer all the same?'))) throw new Declined()
}

export async function createOnce(
  client: Client,
  body: z.input<typeof customerCreate>,
  context: CreationContext,
): Promise<LooseCustomer> {
  const {found, count, isWhole} = await searchCustomers(client, body)
  if (!isWhole) {
    context.notice(`The first ${count} customers were searched, and the list goes on: this one may exist all the same.`)
  }
  await confirmAnother(found, context)
  try {
    return await client.customers.create({body})
  } catch (error) {
    if (!(error instanceof SvcError) || error.kind !== 'unknownOutcome') throw error
    throw error.with({
      hint: 'Run the same command again after a minute: it looks for the email first, and says so if the customer was made',
    })
  }
}
