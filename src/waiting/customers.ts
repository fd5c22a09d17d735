// Customers, followed until they are ACTIVE, or until only a person can help.
import type {Client} from '../client/client.ts'
import type {CustomerStatus} from '../contract/customers.ts'
import {textOf} from '../terminal/view.ts'
import {customerView} from '../terminal/views/customers.ts'
import type {Item} from '../terminal/views/values.ts'
import type {Followed, Kind, Note, State} from './followed.ts'

// Which of the states end a wait, and how (docs/assumptions.md, V16).
const states: Readonly<Record<CustomerStatus, State>> = {
  CREATED: {waitsFor: 'nobody has submitted its verification data'},
  UNDER_REVIEW: {waitsFor: 'it is being verified, which takes minutes, or days where a person reviews it'},
  ACTIVE: {ends: 'well'},
  // It ends the wait although it can go on: nothing happens before a person has corrected something.
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

function issueNotes({verificationIssues: issues}: Item): Note[] {
  if (!Array.isArray(issues)) return []
  return issues.flatMap((issue: Item | null) => {
    const [code = '', message = '', when] = ['code', 'message', 'timestamp'].map((field) => textOf(issue?.[field]))
    const text = [code, message].filter((part) => part !== '').join(': ')
    return text === '' ? [] : [{key: `${text} ${when}`, text}]
  })
}

const kind: Kind = {
  view: customerView,
  status: 'customerStatus',
  states,
  watched: [],
  noted: ['verificationIssues'],
  notes: issueNotes,
  warning: ({customerStatus: status}) =>
    status === 'CREATED'
      ? 'Nobody has submitted its verification data yet: nothing happens before its form is filled in, or `svc customers update` sends it.'
      : undefined,
  goOn: (id) => `svc customers watch ${id}`,
}

// The single read, since lists may lack the issues. `answer` is what a write that began this has answered.
export const followedCustomer = (client: Client, customerId: string, answer?: Item): Followed => ({
  kind,
  id: customerId,
  read: () => client.customers.get({customerId}),
  answer,
})
