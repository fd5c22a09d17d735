// What is watched of a customer, and which status ends the watch.
import type {Client} from '../client/client.ts'
import type {CustomerStatus} from '../contract/vocabulary.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {toText} from '../cli/output/view.ts'
import type {Note, State, WatchTarget, WatchedKind} from '../cli/watch/watch-target.ts'
import {readCustomer} from './answers.ts'
import {customerView, formatIssue} from './view.ts'
import {toInstantMs} from '../values/time.ts'
import {quoteForShell} from '../values/text.ts'

type CustomerKind = WatchedKind<LooseCustomer>

// Which statuses end a watch, and how (docs/assumptions.md, V16).
const states: Readonly<Record<CustomerStatus, State>> = {
  // The data may have been submitted when the customer was created, so it is said of the status alone.
  CREATED: {waitsFor: 'according to its status, nobody has submitted its verification data'},
  UNDER_REVIEW: {waitsFor: 'it is being verified, which takes minutes, or days if a person reviews it'},
  ACTIVE: {ends: 'well'},
  // Not a final status, but nothing happens until someone corrects the data.
  NEEDS_ADDITIONAL_INFORMATION: {
    ends: 'badly',
    why: 'someone must correct what verification rejected',
    next: (id) =>
      `See what with \`svc customers issues ${quoteForShell(id)}\`, and correct it with \`svc customers fix ${quoteForShell(id)}\``,
  },
  REJECTED: {
    ends: 'badly',
    next: (id) => `See why with \`svc customers issues ${quoteForShell(id)}\`, and contact the service’s support`,
  },
  DEACTIVATED: {ends: 'badly', next: () => 'Contact the service’s support'},
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

// What nothing happens without.
const warnings = {
  CREATED: (id: string) =>
    `According to its status, nobody has submitted its verification data yet: nothing happens until its form is filled in or \`svc customers update ${id}\` sends the data.`,
  NEEDS_ADDITIONAL_INFORMATION: (id: string) =>
    `It waits for a person: verification refused some data, and nothing happens until it is corrected, with \`svc customers fix ${id}\` in another terminal or in the hosted form (\`svc open ${id}\`).`,
}

const warnIf =
  (...statuses: ReadonlyArray<keyof typeof warnings>) =>
  ({customerStatus, customerId}: LooseCustomer) => {
    const status = statuses.find((each) => each === readCode(customerStatus))
    return status && warnings[status](quoteForShell(toText(customerId)))
  }

const verificationKind: CustomerKind = {
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
const submissionKind: CustomerKind = {
  ...verificationKind,
  states: {...states, CREATED: {waitsFor: 'its verification data was sent, and its review has not started'}},
  warning: () => undefined,
}

const kinds: Readonly<Record<'verification' | 'submission' | 'correction' | 'finalStatus', CustomerKind>> = {
  // Ends when verification has a result, no matter who submits the data.
  verification: verificationKind,
  // Ends when the data of a write that was just made has a result.
  submission: submissionKind,
  // The same for a correction by `svc customers fix`, which prints the issues itself.
  correction: {...submissionKind, notes: () => []},
  // Ends in a status that no longer changes: `svc customers watch` continues through corrections by others.
  finalStatus: {
    ...verificationKind,
    states: {...states, NEEDS_ADDITIONAL_INFORMATION: {waitsFor: 'someone must correct what verification rejected'}},
    warning: warnIf('CREATED', 'NEEDS_ADDITIONAL_INFORMATION'),
  },
}

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
