// Customers, followed until they are ACTIVE, or until only a person can help.
import type {Client} from '../client/client.ts'
import type {CustomerStatus} from '../contract/customers.ts'
import {toText} from '../cli/output/view.ts'
import {customerView} from './view.ts'
import type {Item} from '../cli/output/format-values.ts'
import {type WatchTarget, type WatchedKind, type Note, type State, getStatus} from '../cli/watch/watch-target.ts'

// Which of the states end a wait, and how (docs/assumptions.md, V16).
const states: Readonly<Record<CustomerStatus, State>> = {
  CREATED: {waitsFor: 'nobody has submitted its verification data'},
  UNDER_REVIEW: {waitsFor: 'it is being verified, which takes minutes, or days where a person reviews it'},
  ACTIVE: {ends: 'well'},
  // It ends the wait for one's own submission although it can go on: nothing happens before it is corrected.
  NEEDS_ADDITIONAL_INFORMATION: {
    ends: 'badly',
    why: 'someone must correct what was refused',
    next: (id) => `See what with \`svc customers issues ${id}\`, and correct it with \`svc customers fix ${id}\``,
  },
  REJECTED: {
    ends: 'badly',
    next: (id) => `See why with \`svc customers issues ${id}\`, and ask whoever runs the service`,
  },
  DEACTIVATED: {ends: 'badly', next: () => 'Ask whoever runs the service'},
}

function listIssueNotes({verificationIssues: issues}: Item): Note[] {
  if (!Array.isArray(issues)) return []
  return issues.flatMap((issue: Item | null) => {
    const [code = '', message = '', when] = ['code', 'message', 'timestamp'].map((field) => toText(issue?.[field]))
    const text = [code, message].filter((part) => part !== '').join(': ')
    return text === '' ? [] : [{key: `${text} ${when}`, text}]
  })
}

const kind: WatchedKind = {
  view: customerView,
  status: 'customerStatus',
  states,
  shownColumns: [],
  notedColumns: ['verificationIssues'],
  notes: listIssueNotes,
  warning: ({customerStatus: status}) =>
    status === 'CREATED'
      ? 'Nobody has submitted its verification data yet: nothing happens before its form is filled in, or `svc customers update` sends it.'
      : undefined,
  changedAt: (customer) => customer['updatedAt'],
  resumeCommand: (id) => `svc customers watch ${id}`,
}

// Where the data went with the write itself, a status that lags behind it says nothing of the data.
const submissionKind: WatchedKind = {
  ...kind,
  states: {...states, CREATED: {waitsFor: 'its verification data was sent, and its review has not begun'}},
  warning: () => undefined,
}

// What is worth a warning to whoever only watches. Data may have come with the creation, and the status may lag behind it.
const watchedWarnings: Readonly<Record<string, string>> = {
  CREATED:
    'Going by its status, nobody has submitted its verification data yet: nothing happens before its form is filled in, or `svc customers update` sends it.',
  NEEDS_ADDITIONAL_INFORMATION:
    'Verification refused something: nothing happens before it is corrected, with `svc customers fix` or the hosted form.',
}

// Whoever only watches sees corrections of others come and go, so that only what is final ends it.
const finalStatusKind: WatchedKind = {
  ...kind,
  states: {
    ...states,
    CREATED: {waitsFor: 'going by its status, nobody has submitted its verification data'},
    NEEDS_ADDITIONAL_INFORMATION: {waitsFor: 'someone must correct what verification refused'},
  },
  warning: (item) => {
    const status = getStatus(kind, item)
    return Object.hasOwn(watchedWarnings, status) ? watchedWarnings[status] : undefined
  },
}

const createTarget = (kindOf: WatchedKind, client: Client, customerId: string, answer?: Item): WatchTarget => ({
  kind: kindOf,
  id: customerId,
  // The single read, since lists may lack the issues.
  read: () => client.customers.get({customerId}),
  writeReply: answer,
})

// Until verification has an outcome, whoever submits the data. `answer` is what the write that began this has answered.
export const createVerificationTarget = (client: Client, customerId: string, answer?: Item): WatchTarget =>
  createTarget(kind, client, customerId, answer)

// Until the data that went with the write has an outcome.
export const createSubmissionTarget = (client: Client, customerId: string, answer: Item): WatchTarget =>
  createTarget(submissionKind, client, customerId, answer)

// Until nothing can happen any more.
export const createFinalStatusTarget = (client: Client, customerId: string): WatchTarget =>
  createTarget(finalStatusKind, client, customerId)
