// What is watched of a customer, and which status ends the watch.
import type {Client} from '../client/client.ts'
import type {CustomerStatus} from '../contract/vocabulary.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {toText} from '../cli/output/view.ts'
import type {Note, State, WatchTarget, WatchedKind} from '../cli/watch/watch.ts'
import {capitalize, svc} from '../values/text.ts'
import {toInstantMs} from '../values/time.ts'
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
  NEEDS_ADDITIONAL_INFORMATION: {waitsFor: refused},
  REJECTED: {ends: 'badly', next: next('REJECTED')},
  DEACTIVATED: {ends: 'badly', next: next('DEACTIVATED')},
}

const personsTurn: readonly CustomerStatus[] = ['CREATED', 'NEEDS_ADDITIONAL_INFORMATION']

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

type CustomerKind = WatchedKind<LooseCustomer>

// Ends in a status that no longer changes, and goes on through corrections by others.
const finalStatus: CustomerKind = {
  view: customerView,
  status: 'customerStatus',
  states,
  shownColumns: [],
  notedColumns: ['verificationIssues'],
  notes: listIssueNotes,
  warning({customerStatus, customerId}) {
    const status = personsTurn.find((each) => each === readCode(customerStatus))
    return status && `Nothing happens until a person acts: ${describeStep(status, toText(customerId))}.`
  },
  changedAt: (customer) => customer.updatedAt,
}

// Ends when the data of a write that was just made has a result. Until then CREATED only means that the service lags behind.
const submission: CustomerKind = {
  ...finalStatus,
  states: {
    ...states,
    CREATED: {waitsFor: 'its verification data was sent, and its review has not started'},
    NEEDS_ADDITIONAL_INFORMATION: {ends: 'badly', why: refused, next: next('NEEDS_ADDITIONAL_INFORMATION')},
  },
  warning: () => undefined,
}

const kinds = {finalStatus, submission}

// Lists may leave out the issues, so the customer is read by itself.
export const createCustomerTarget = (
  kind: keyof typeof kinds,
  client: Client,
  customerId: string,
  writeReply?: LooseCustomer,
): WatchTarget<LooseCustomer> => ({
  kind: kinds[kind],
  id: customerId,
  resume: svc`customers watch ${customerId}`,
  read: () => readCustomer(client, {customerId}),
  writeReply,
})
