// Says in words what is known about a service, and what it means for payments.
import type {SecondRequestOutcome} from '../contract/observed-service.ts'
import {type ServiceKnowledge, computeListLagMax} from './service-knowledge.ts'
import {minuteMs, secondMs} from '../values/time.ts'

export interface KnowledgeRow {
  subject: string
  // What was asked, and what was found. Without an answer, `found` says why not.
  asked: string
  isKnown: boolean
  found: string
  // What follows for payments.
  means: string
}

interface Question {
  subject: string
  asked: string
  // Undefined if it is not known.
  answer: (knowledge: ServiceKnowledge) => [found: string, means: string] | undefined
  // What payments do as long as it is not known.
  unknown: string
}

// Whole seconds below two minutes, whole minutes above. Anything shorter is a second.
const formatMs = (ms: number): string =>
  ms < 2 * minuteMs ? `${Math.max(1, Math.round(ms / secondMs))} s` : `${Math.round(ms / minuteMs)} min`

const describeSecond: Record<SecondRequestOutcome, string> = {
  replayed: 'The first reply comes again; no second transaction',
  rejected: 'Rejected; no second transaction',
  created: 'A second transaction is made',
}

const describeKeyLife = ({keyForgottenAfterMs}: ServiceKnowledge) =>
  keyForgottenAfterMs === undefined ? '' : ` (the key is forgotten after at most ${formatMs(keyForgottenAfterMs)})`

const describeListWait = (known?: ServiceKnowledge) =>
  `svc waits ${formatMs(computeListLagMax(known))} before it says that nothing was made`

const questions: readonly Question[] = [
  {
    subject: 'sameRequest',
    asked: 'The same key with the same request',
    answer: (known) =>
      known.sameRequest && [
        `${describeSecond[known.sameRequest]}${known.sameRequest === 'created' ? describeKeyLife(known) : ''}`,
        known.sameRequest === 'created'
          ? 'An unanswered payment is never sent again; the list settles it'
          : 'svc may send an unanswered payment again',
      ],
    unknown: 'An unanswered payment is not sent again; the list settles it',
  },
  {
    subject: 'otherRequest',
    asked: 'The same key with another request',
    answer: (known) =>
      known.otherRequest && [
        `${describeSecond[known.otherRequest]}${known.otherRequest === 'created' ? describeKeyLife(known) : ''}`,
        known.otherRequest === 'created'
          ? 'Two hosts can pay twice while the list lags; svc looks again just before it pays'
          : 'Two hosts with the same keys pay once',
      ],
    unknown: 'svc looks in the list again just before it pays',
  },
  {
    subject: 'keyAfterRejection',
    asked: 'A key whose first request was rejected',
    answer: (known) =>
      known.keyAfterRejection &&
      (known.keyAfterRejection === 'usable'
        ? ['It can be used again', 'A rejected payment can be tried again under its key']
        : ['It stays rejected', 'A rejected payment needs a new key']),
    unknown: 'A rejected payment is tried again under its key',
  },
  {
    subject: 'usedQuote',
    asked: 'A used quote under another key',
    answer: ({usedQuote}) =>
      usedQuote &&
      (usedQuote === 'created'
        ? ['A second transaction is made', 'Only the key protects an unanswered payment']
        : ['No second transaction', 'A quote pays once, whatever its key']),
    unknown: 'svc never relies on it',
  },
  {
    subject: 'expiredQuote',
    asked: 'An expired quote',
    answer: ({expiredQuote}) =>
      expiredQuote &&
      (expiredQuote === 'created'
        ? ['A transaction is made', 'A process that sleeps before it sends may still pay when it wakes up']
        : ['Rejected', 'A payment that was not made by then never will be']),
    unknown: 'svc assumes that it is rejected',
  },
  {
    subject: 'listLag',
    asked: 'How long until a transaction is listed',
    answer: (known) => {
      const {listLagMs, listLagOverMs} = known
      if (listLagOverMs !== undefined) return [`Not listed after ${formatMs(listLagOverMs)}`, describeListWait(known)]
      return listLagMs === undefined ? undefined : [`At most ${formatMs(listLagMs)}`, describeListWait(known)]
    },
    unknown: describeListWait(),
  },
  {
    subject: 'listOrder',
    asked: 'The order of lists',
    answer: ({listOrder}) =>
      listOrder && [
        {'newest-first': 'Newest first', 'oldest-first': 'Oldest first', other: 'Neither by age nor reversed'}[
          listOrder
        ],
        'svc reads lists to their end',
      ],
    unknown: 'svc reads lists to their end',
  },
  {
    subject: 'date',
    asked: 'The Date of replies',
    answer: ({isDateAbsent, dateAheadMs}) => {
      if (isDateAbsent) return ['Absent', 'svc reads the time from quotes, and waits a little longer']
      if (dateAheadMs === undefined) return undefined
      if (dateAheadMs === 0) return ['The time of this machine', 'It is the clock for quotes']
      const apart = `${formatMs(Math.abs(dateAheadMs))} ${dateAheadMs > 0 ? 'ahead of' : 'behind'} this machine`
      return [apart, 'It is the clock for quotes']
    },
    unknown: 'svc uses it where a reply has one',
  },
  {
    subject: 'pageToken',
    asked: 'How long a page token works',
    answer: ({pageTokenLifeMs, pageTokenDiedAfterMs}) => {
      if (pageTokenDiedAfterMs !== undefined) {
        return [`Rejected after ${formatMs(pageTokenDiedAfterMs)}`, 'A list that is read slowly starts again once']
      }
      return pageTokenLifeMs === undefined
        ? undefined
        : [`At least ${formatMs(pageTokenLifeMs)}`, 'Long lists can be read in one go']
    },
    unknown: 'A list whose token is rejected starts again once',
  },
  {
    subject: 'errors',
    asked: 'The form of errors',
    answer: ({errorShape, errorBytesMax}) =>
      errorShape && [
        `${errorShape === 'documented' ? 'As documented' : 'Not all as documented'}${errorBytesMax === undefined ? '' : `, ${errorBytesMax} bytes at most`}`,
        errorShape === 'documented' ? 'Errors show the code of the service' : 'Some errors show only their status',
      ],
    unknown: 'Errors show what the service says',
  },
]

// One row per question, in a fixed order. `reasons` say why something is not known, by subject.
export const describeKnowledge = (
  knowledge: ServiceKnowledge,
  reasons: Readonly<Record<string, string | undefined>> = {},
): KnowledgeRow[] =>
  questions.map(({subject, asked, answer, unknown}) => {
    const answered = answer(knowledge)
    const reason = reasons[subject]
    return answered
      ? {subject, asked, isKnown: true, found: answered[0], means: answered[1]}
      : {subject, asked, isKnown: false, found: `Not known${reason ? `: ${reason}` : ''}`, means: unknown}
  })

// One sentence for doctor.
export function summarizeKnowledge(knowledge: ServiceKnowledge): string {
  const rows = describeKnowledge(knowledge)
  const unknown = rows.filter(({isKnown}) => !isKnown).map(({asked}) => asked.charAt(0).toLowerCase() + asked.slice(1))
  const [same, other] = rows
  const parts = [
    `Probed ${knowledge.probedAt.slice(0, 'YYYY-MM-DD'.length)}${knowledge.takenFrom ? ` at ${knowledge.takenFrom}` : ''}`,
    same?.means,
    other?.means,
    ...(unknown.length > 0 ? [`Not known: ${unknown.join(', ')}`] : []),
  ]
  return parts.join('. ')
}
