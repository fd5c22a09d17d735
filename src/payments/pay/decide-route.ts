// Completes the route of a payment with what its accounts decide, or with what an earlier run of the same key has used.
import {readAccounts} from '../../accounts/directory.ts'
import {type Body, getValue, withValue} from '../../values/body-paths.ts'
import {toText} from '../../cli/output/view.ts'
import {type LoosePaymentAccount, readCode} from '../../contract/loose.ts'
import {badUsage} from '../../errors.ts'
import {type CompletedRoute, completeRoute} from '../../quotes/complete-route.ts'
import {accountPaths, listDetails} from '../../quotes/route-fields.ts'
import {canChangeContent} from '../protocol/key-use.ts'
import {type Payment, type PaymentContent, isContentKnown} from '../protocol/payment.ts'
import type {OpenPaymentContext} from './open-context.ts'

type JournalOnly = Pick<OpenPaymentContext, 'journal'>
type KeyOfService = Pick<Payment, 'serviceId' | 'key'>

const details = listDetails('')
const detailPaths = details.map(({path}) => path)
const accounts = accountPaths('')

// What is given, with the recorded values at the paths that were left out.
const fillFrom = (content: PaymentContent, given: Body, paths: readonly string[]): Body =>
  paths
    .filter((path) => getValue(given, path) === undefined && getValue(content, path) !== undefined)
    .reduce((body, path) => withValue(body, path, getValue(content, path)), given)

// What an earlier run used for the fields that are not given, if it paid between the same accounts.
function fillFromRecord(given: Body, {content}: Payment): Body | undefined {
  const isSame = (path: string) => toText(getValue(content, path)) === toText(getValue(given, path))
  const isSameCustomer = readCode(content.customerId) === readCode(given['customerId'])
  if (!isContentKnown(content) || !isSameCustomer || !accounts.every(isSame)) return undefined
  return fillFrom(content, given, detailPaths)
}

const feePaths = ['developerFee.developerFeeAmount', 'developerFee.developerFeeType']
const sumPaths = ['source.sourceAmount', 'receive']

// The content of a payment that was made, with what is given now in its place: where that differs, the key is another payment's.
// Undefined if the payment was not made, so that what is missing has to be asked for.
export async function fillFromMade(
  {journal}: JournalOnly,
  {serviceId, key}: KeyOfService,
  given: Body,
): Promise<Body | undefined> {
  const known = await journal.find(serviceId, key)
  if (known?.state !== 'CREATED' || !isContentKnown(known.content)) return undefined
  const {content} = known
  // What is to arrive counts before what was found to be sent for it.
  const sumPath = content.receive === undefined ? 'source.sourceAmount' : 'receive'
  const isSumGiven = sumPaths.some((path) => getValue(given, path) !== undefined)
  const paths = ['customerId', ...accounts, ...detailPaths, ...feePaths, ...(isSumGiven ? [] : [sumPath])]
  return fillFrom(content, given, paths)
}

// The caller has changed nothing, so a route that follows from the accounts must not change either.
function rejectOtherRoute(key: string, recorded: Body, decided: Body): void {
  const changed = details
    .map(({path, flag}) => ({flag, was: getValue(recorded, path), now: getValue(decided, path)}))
    .filter(({was, now}) => now !== undefined && readCode(now) !== readCode(was))
  if (changed.length === 0) return
  const changes = changed.map(({flag, was, now}) => `${flag} was ${toText(was)} and would be ${toText(now)}`)
  throw badUsage(
    `The accounts have changed since the last run of ${key}: ${changes.join(', ')}`,
    `Give ${changed.map(({flag}) => flag).join(' and ')} to say which is meant; nothing was sent`,
  )
}

// Once a request may have been sent, the recorded route is the only one, and nothing needs to be read.
export async function decideRoute(
  {journal, client}: OpenPaymentContext,
  {serviceId, key}: KeyOfService,
  given: Body,
  read = (customerId: string): Promise<readonly LoosePaymentAccount[]> => readAccounts(client, customerId),
): Promise<CompletedRoute> {
  const known = await journal.find(serviceId, key)
  const recorded = known && fillFromRecord(given, known)
  if (known && recorded && !canChangeContent(known)) return {body: recorded, choices: []}
  const completed = completeRoute(await read(toText(given['customerId'])), given, '')
  if (recorded) rejectOtherRoute(key, recorded, completed.body)
  return completed
}
