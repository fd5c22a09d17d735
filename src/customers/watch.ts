// What is watched of a customer, and which status ends the watch.
import type {Client} from '../client/client.ts'
import type {CustomerStatus} from '../contract/vocabulary.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {toText} from '../cli/output/view.ts'
import type {Note, State, WatchTarget, WatchedKind} from '../cli/watch/watch.ts'
import {toInstantMs} from '../values/time.ts'
import {capitalize, quoteForShell} from '../values/text.ts'
import {readCustomer} from './answers.ts'
import {customerView, formatIssue} from './view.ts'
import {describeStep} from './words.ts'

const next = (status: CustomerStatus) => (id: string) => capitalize(describeStep(status, id))

const refused = 'someone must correct what verification rejected'

// Which statuses end a watch, and how (docs/assumptions.md, V16).
const states: Readonly<Record<CustomerStatus, State>> = {
  // The data may have been submitted when the customer was created, so it is said of the status alone.
  CREATED: {waitsFor: 'according to its status, nobody has submitted its verification data'},
  UNDER_REVIEW: {waitsFor: 'it is being verified, which takes minutes, or days if a person reviews it'},
  ACTIVE: {ends: 'well'},
  // Not a final status, but nothing happens until someone corrects the data.
  NEEDS_ADDITIONAL_INFORMATION: {ends: 'badly', why: refused, next: next('NEEDS_ADDITIONAL_INFORMATION')},
  REJECTED: {ends: 'badly', next: next('REJECTED')},
  DEACTIVATED: {ends: 'badly', next: next('DEACTIVATED')},
}

// Issues stay while a correction of them is reviewed (docs/assumptions.md, C6). They would read as if it was refused too.
function isBeforeReview({customerStatus, updatedAt}: LooseCustomer, foundAt: unknown): boolean {
  if (readCode(customerStatus) !== 'UNDER_REVIEW') return false
  const [foundMs, changedMs] = [toInstantMs(foundAt), toInstantMs(updatedAt)]
  return foundMs !== undefined && changedMs !== undefined && foundMs < changedMs
}

function listIssueNotes(customer: LooseCustomer): Note[] {
  const {verificationIssues: issues} = customer
  if (!Array.isArray(issues)) return []
  return issues.flatMap((issue) => {
    if (isBeforeReview(customer, issue?.timestamp)) return []
    const text = formatIssue(issue)
    return text === '' ? [] : [{key: `${text} ${toText(issue?.timestamp)}`, lines: [text]}]
  })
}

const warnIf =
  (...statuses: readonly CustomerStatus[]) =>
  ({customerStatus, customerId}: LooseCustomer) => {
    const status = statuses.find((each) => each === readCode(customerStatus))
    return status && `Nothing happens until a person acts: ${describeStep(status, toText(customerId))}.`
  }

type CustomerKind = WatchedKind<LooseCustomer>

const verification: CustomerKind = {
  view: customerView,
  status: 'customerStatus',
  states,
  shownColumns: [],
  notedColumns: ['verificationIssues'],
  notes: listIssueNotes,
  warning: warnIf('CREATED'),
  changedAt: (customer) => customer.updatedAt,
}

// After a write that submitted the data, the status CREATED only means that the service lags behind.
const submission: CustomerKind = {
  ...verification,
  states: {...states, CREATED: {waitsFor: 'its verification data was sent, and its review has not started'}},
  warning: () => undefined,
}

const kinds = {
  // Ends when verification has a result, no matter who submits the data.
  verification,
  // Ends when the data of a write that was just made has a result.
  submission,
  // Ends in a status that no longer changes: `svc customers watch` continues through corrections by others.
  finalStatus: {
    ...verification,
    states: {...states, NEEDS_ADDITIONAL_INFORMATION: {waitsFor: refused}},
    warning: warnIf('CREATED', 'NEEDS_ADDITIONAL_INFORMATION'),
  },
} satisfies Record<string, CustomerKind>

// Lists may leave out the issues, so the customer is read by itself.
export const createCustomerTarget = (
  kind: keyof typeof kinds,
  client: Client,
  customerId: string,
  writeReply?: LooseCustomer,
): WatchTarget<LooseCustomer> => ({
  kind: kinds[kind],
  id: customerId,
  resumeCommand: `svc customers watch ${quoteForShell(customerId)}`,
  read: () => readCustomer(client, {customerId}),
  writeReply,
})
