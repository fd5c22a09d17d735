// The first page of the console, over a source that is written down here: what needs whom.
import {describe, expect, it} from 'vitest'
import {renderOverview} from '../../../src/web/console/overview.ts'
import type {ConsoleSource, ControlsSource, JournalPayment} from '../../../src/web/console/source.ts'
import {renderPageFile} from '../../../src/web/page.ts'
import {badSettings} from '../../../src/errors.ts'
import {customer} from '../../support/service.ts'
import {transaction} from '../../support/transactions.ts'

const now = Date.parse('2026-11-17T08:00:00Z')

interface Given {
  transactions?: object[]
  customers?: object[]
  payments?: JournalPayment[]
  controls?: Partial<ControlsSource>
  dealtWith?: string[]
  isCut?: boolean
}

const createSource = ({
  transactions = [],
  customers = [],
  payments = [],
  controls = {},
  dealtWith = [],
  isCut = false,
}: Given): ConsoleSource => ({
  title: 'Test',
  note: '',
  isReadOnly: true,
  readMax: isCut ? 3 : 300,
  listCustomers: async () => ({items: customers, ...(isCut && {nextPageToken: 'more'})}),
  findCustomer: async () => undefined,
  findNames: async (ids) => new Map(ids.map((id) => [id, 'Zoë Ångström'])),
  listAccounts: async () => ({items: []}),
  listTransactions: async () => ({items: transactions, ...(isCut && {nextPageToken: 'more'})}),
  listRules: async () => [],
  findRule: async () => undefined,
  describeFailure: (error) => (error instanceof Error ? error.message : undefined),
  journal: {
    listPayments: async () => payments,
    listOpenPayments: async () => payments.filter(({state}) => state !== 'CREATED'),
    listDealtWith: async () => new Set(dealtWith),
    findPayment: async () => undefined,
    findPaymentOf: async () => undefined,
    controls: {
      listApprovalsAsked: async () => [],
      readFleet: async () => undefined,
      ...controls,
    },
  },
})

async function showSource(source: ConsoleSource, at: number): Promise<string> {
  const page = await renderOverview({
    source,
    path: '/',
    query: {},
    now: at,
    link: (path, parameters = {}) => `${path}?${new URLSearchParams(parameters as Record<string, string>).toString()}`,
  })
  return renderPageFile('Overview', page.body)
    .replace(/^[^]*<main/, '<main')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
}

const payment = (key: string, more: Partial<JournalPayment> = {}): JournalPayment => ({
  key,
  state: 'CREATED',
  customerId: 'customer_1',
  source: {sourceAmount: '1500', sourceCurrency: 'USDC'},
  updatedAt: '2026-11-16T08:00:00Z',
  ...more,
})

const cut = [1, 2, 3].map((number) => transaction(number, 'COMPLETED', {createdAt: '2026-11-17T07:00:00Z'}))
const failed = transaction(4, 'FAILED', {updatedAt: '2026-11-17T07:00:00Z'})
const underWay = (number: number, minutes: number) =>
  transaction(number, 'PROCESSING', {createdAt: new Date(now - minutes * 60_000).toISOString()})
const waiting = Array.from({length: 12}, (_, index) => transaction(index, 'AWAITING_TRANSFER'))
const asked = {name: 'rent.yaml', needed: 2, given: 1, next: 'svc approve rent.yaml', at: '2026-11-17T06:00:00Z'}
const batch = {id: 'b2', name: 'payroll', waiting: 3, submittedAt: '2026-11-17T05:00:00Z'}
const fleet = {waiting: 12, inFlight: 0, paused: [batch], oldestAt: '2026-11-17T06:00:00Z'}
const madeAt = (number: number, createdAt: string, status = 'COMPLETED') => transaction(number, status, {createdAt})
const nothing = 'Nothing needs you now.'

interface Overview extends Given {
  shows: Array<string | RegExp>
  hides?: RegExp
}

const overviews: Record<string, Overview> = {
  'what is under way, the longest first': {
    transactions: [underWay(4, 30), underWay(5, 31), transaction(6, 'COMPLETED')],
    shows: [/Under way: 2 .* Processing 31 min .* Processing 30 min/],
  },
  'a part of a list as a part, and adds up none': {
    transactions: cut,
    customers: [1, 2, 3].map((number) => customer(number)),
    isCut: true,
    shows: [
      'Nothing needs you now among the newest 3.',
      'No money is under way among the newest 3.',
      'Nobody waits for verification among the newest 3.',
      'Sent today Not added up More than the newest 3 transactions are of today.',
      'Fees in November 2026 Not added up',
    ],
  },
  'no count of what needs a person in a part of a list': {
    transactions: [transaction(1, 'AWAITING_TRANSFER'), ...cut.slice(1)],
    isCut: true,
    shows: [/Overview Needs you What needs a person/],
  },
  'the sum of a whole list': {
    transactions: cut,
    shows: [/Nothing needs you now\. .*Sent today 361\.50 USD 3 transactions since midnight UTC\./],
  },
  'what was sent, without what nobody has sent yet': {
    transactions: ['COMPLETED', 'PROCESSING', 'AWAITING_TRANSFER', 'CREATED', 'EXPIRED', 'FAILED', 'CANCELLED'].map(
      (status, index) => madeAt(index + 1, '2026-11-17T07:00:00Z', status),
    ),
    shows: [/Sent today 241\.00 USD 2 transactions since midnight UTC\. 241\.00 USD still to be sent\./],
  },
  'who waits for verification, and since when': {
    customers: [
      customer(1, {customerStatus: 'UNDER_REVIEW', updatedAt: '2026-11-01T08:00:00Z', name: 'Savanna Solar'}),
      customer(2, {customerStatus: 'CREATED', updatedAt: '2026-11-01T08:00:00Z', name: 'Nothing Sent'}),
    ],
    shows: [/Waiting for verification: 1 .* Savanna Solar .*Under review 16 d/],
    hides: /Nothing Sent/,
  },
  'what failed': {transactions: [failed], shows: ['It failed: no money arrived.']},
  'nothing to pay again that a person has dealt with': {
    transactions: [failed],
    dealtWith: [failed.transactionId],
    shows: [nothing],
  },
  'first what may not be paid again, then what was not paid and who waits, the longest first': {
    payments: [
      payment('lost', {state: 'UNKNOWN'}),
      payment('refused', {state: 'REJECTED'}),
      payment('stopped', {state: 'STOPPED'}),
      payment('begun', {state: 'INTENDED', updatedAt: '2026-11-17T07:59:39Z'}),
      payment('being paid', {state: 'QUOTED', updatedAt: '2026-11-17T07:59:40Z', isUnderWay: true}),
      payment('long ago', {state: 'REJECTED', updatedAt: '2026-11-01T08:00:00Z'}),
    ],
    customers: [
      customer(1, {customerStatus: 'REJECTED', updatedAt: '2026-11-16T08:00:00Z', name: 'Ines Vardø'}),
      customer(2, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', updatedAt: '2026-11-01T08:00:00Z'}),
    ],
    transactions: [madeAt(4, '2026-11-17T07:00:00Z', 'AWAITING_TRANSFER')],
    shows: [
      new RegExp(
        [
          'Needs you: 7 .*lost , 1,500 USDC: It was sent, and the answer was lost.* Zoë Ångström 1 d Find out: svc journal settle lost',
          'refused , 1,500 USDC: The service refused it. Nothing was paid. Zoë Ångström 1 d The same key tries again',
          'stopped , 1,500 USDC: It was stopped before it was sent.',
          'begun , 1,500 USDC: It was planned. Nothing was sent. Zoë Ångström 21 s',
          'the service rejected the verification.* Ines Vardø 1 d Ask the support',
          'the service refused some of the data.* 16 d Correct it',
          'It waits for money from outside. Zoë Ångström 1 h Send the money',
        ].join('.*'),
      ),
    ],
    hides: /long ago|being paid/,
  },
  'more than ten only on request': {transactions: waiting, shows: [/Needs you: 12 .* 2 more, less urgent/]},
  'ten without that': {transactions: waiting.slice(2), shows: [/Needs you: 10/], hides: /less urgent/},
  'what waits for an approval, with the command for it': {
    controls: {listApprovalsAsked: async () => [{...asked, sums: [{currency: 'USDC', amount: '1500'}]}]},
    shows: [
      'rent.yaml, 1,500 USDC: needs 2 approvals and has 1 Those who may approve 2 h Approve: svc approve rent.yaml',
    ],
  },
  'what to do about idle rows and paused batches of a fleet': {
    controls: {readFleet: async () => fleet},
    shows: [
      '12 rows of batches: nobody works on them 2 h Start a worker: svc payouts work',
      'The batch payroll is paused with 3 rows to pay 3 h Go on: svc payouts resume b2',
    ],
  },
  'nothing about a fleet that works': {
    controls: {readFleet: async () => ({...fleet, inFlight: 2, paused: []})},
    shows: [nothing],
  },
  'a batch that waits for an approval once': {
    controls: {
      readFleet: async () => fleet,
      listApprovalsAsked: async () => [
        {name: 'b2', sums: [], needed: 1, given: 0, next: 'svc approve b2', at: batch.submittedAt},
      ],
    },
    shows: ['b2: needs 1 approval and has none'],
    hides: /svc payouts resume/,
  },
  // Not those of the journal alone, which `svc report` knows.
  'what the fees of this month are': {
    transactions: [
      madeAt(1, '2026-11-16T23:59:59Z'),
      madeAt(2, '2026-11-01T00:00:00Z'),
      madeAt(3, '2026-10-31T23:59:59Z'),
      madeAt(4, '2026-11-02T00:00:00Z', 'FAILED'),
    ],
    shows: ['Fees in November 2026 2.00 USD', 'Of 2 transactions so far, whoever made them.'],
  },
  'that there were none': {shows: ['Fees in November 2026 None']},
  'nothing to do for what was stopped before its time': {
    payments: [payment('rent-2026-12', {slot: '2026-12', state: 'STOPPED'})],
    shows: [nothing],
    hides: /rent-2026-12/,
  },
  'what could not be read, and the rest': {
    controls: {listApprovalsAsked: () => Promise.reject(badSettings('The journal is broken', 'Restore it'))},
    payments: [payment('lost', {state: 'UNKNOWN'})],
    shows: ['The journal is broken', 'the answer was lost: it may have been paid'],
  },
}

describe('the overview', () => {
  it.each(Object.entries(overviews))('shows %s', async (_, {shows, hides, ...given}) => {
    const text = await showSource(createSource(given), now)
    for (const shown of shows) expect(text).toMatch(shown)
    if (hides) expect(text).not.toMatch(hides)
  })

  it('tells by the clock of this machine what the journal has, whatever that of a sandbox says', async () => {
    const source = createSource({payments: [payment('refused', {state: 'REJECTED'})]})
    const advanced = {...source, journal: source.journal && {...source.journal, readNow: () => now}}
    expect(await showSource(advanced, now + 30 * 24 * 3_600_000)).toMatch(/refused , 1,500 USDC: .* 1 d The same key/)
    expect(await showSource(source, now + 30 * 24 * 3_600_000)).toContain(nothing)
  })
})
