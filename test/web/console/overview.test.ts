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

const show = (given: Given) => showSource(createSource(given), now)

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

describe('the overview', () => {
  it('shows what is under way, the longest first', async () => {
    const underWay = (number: number, minutes: number) =>
      transaction(number, 'PROCESSING', {createdAt: new Date(now - minutes * 60_000).toISOString()})
    const text = await show({transactions: [underWay(4, 30), underWay(5, 31), transaction(6, 'COMPLETED')]})
    expect(text).toMatch(/Under way: 2 .* Processing 31 min .* Processing 30 min/)
  })

  it('never lets a part of a list pass for the whole', async () => {
    const items = [1, 2, 3].map((number) => transaction(number, 'COMPLETED', {createdAt: '2026-11-17T07:00:00Z'}))
    const text = await show({transactions: items, customers: [1, 2, 3].map((number) => customer(number)), isCut: true})
    expect(text).toContain('Nothing needs you now among the newest 3.')
    expect(text).toContain('No money is under way among the newest 3.')
    expect(text).toContain('Nobody waits for verification among the newest 3.')
    expect(text).toContain('Sent today Not added up More than the newest 3 transactions are of today.')
    expect(text).toContain('Fees in October 2026 Not added up')
    const some = await show({transactions: [transaction(1, 'AWAITING_TRANSFER'), ...items.slice(1)], isCut: true})
    expect(some).toMatch(/Overview Needs you What needs a person/)
    const whole = await show({transactions: items})
    expect(whole).toMatch(/Nothing needs you now\. .*Sent today 361\.50 USD 3 transactions since midnight UTC\./)
  })

  it('does not ask for what a person has dealt with to be paid again', async () => {
    const failed = transaction(4, 'FAILED', {updatedAt: '2026-11-17T07:00:00Z'})
    expect(await show({transactions: [failed]})).toContain('It failed: no money arrived.')
    const dealtWith = [failed.transactionId]
    expect(await show({transactions: [failed], dealtWith})).toContain('Nothing needs you now.')
  })

  it('puts first what may not be paid again, then what was not paid and who waits, the longest first', async () => {
    const text = await show({
      payments: [
        payment('lost', {state: 'UNKNOWN'}),
        payment('refused', {state: 'REJECTED'}),
        payment('stopped', {state: 'STOPPED'}),
        payment('begun', {state: 'INTENDED', updatedAt: '2026-11-17T07:59:39Z'}),
        payment('in hand', {state: 'QUOTED', updatedAt: '2026-11-17T07:59:40Z'}),
        payment('long ago', {state: 'REJECTED', updatedAt: '2026-11-01T08:00:00Z'}),
      ],
      customers: [
        customer(1, {customerStatus: 'REJECTED', updatedAt: '2026-11-16T08:00:00Z', name: 'Ines Vardø'}),
        customer(2, {customerStatus: 'NEEDS_ADDITIONAL_INFORMATION', updatedAt: '2026-11-01T08:00:00Z'}),
      ],
      transactions: [transaction(4, 'AWAITING_TRANSFER', {createdAt: '2026-11-17T07:00:00Z'})],
    })
    expect(text).toMatch(
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
    )
    expect(text).not.toMatch(/long ago|in hand/)
  })

  it('tells by the clock of this machine what the journal has, whatever that of a sandbox says', async () => {
    const source = createSource({payments: [payment('refused', {state: 'REJECTED'})]})
    const advanced = {...source, journal: source.journal && {...source.journal, readNow: () => now}}
    expect(await showSource(advanced, now + 30 * 24 * 3_600_000)).toMatch(/refused , 1,500 USDC: .* 1 d The same key/)
    expect(await showSource(source, now + 30 * 24 * 3_600_000)).toContain('Nothing needs you now.')
  })

  it('shows more than ten only on request', async () => {
    const waiting = Array.from({length: 12}, (_, index) => transaction(index, 'AWAITING_TRANSFER'))
    expect(await show({transactions: waiting})).toMatch(/Needs you: 12 .* 2 more, less urgent/)
    expect(await show({transactions: waiting.slice(2)})).not.toContain('less urgent')
  })

  it('says what waits for an approval, with the command for it', async () => {
    const asked = {name: 'rent.yaml', needed: 2, given: 1, next: 'svc approve rent.yaml', at: '2026-11-17T06:00:00Z'}
    const text = await show({
      controls: {listApprovalsAsked: async () => [{...asked, sums: [{currency: 'USDC', amount: '1500'}]}]},
    })
    expect(text).toContain(
      'rent.yaml, 1,500 USDC: needs 2 approvals and has 1 Those who may approve 2 h Approve: svc approve rent.yaml',
    )
  })

  it('says what to do about idle rows and paused batches of a fleet', async () => {
    const batch = {id: 'b2', name: 'payroll', waiting: 3, submittedAt: '2026-11-17T05:00:00Z'}
    const fleet = {waiting: 12, inFlight: 0, paused: [batch], oldestAt: '2026-11-17T06:00:00Z'}
    const text = await show({controls: {readFleet: async () => fleet}})
    expect(text).toContain('12 rows of batches: nobody works on them 2 h Start a worker: svc payouts work')
    expect(text).toContain('The batch payroll is paused with 3 rows to pay 3 h Go on: svc payouts resume b2')
    const working = await show({controls: {readFleet: async () => ({...fleet, inFlight: 2, paused: []})}})
    expect(working).toContain('Nothing needs you now.')
    // One that waits for an approval is said once.
    const approvals = [{name: 'b2', sums: [], needed: 1, given: 0, next: 'svc approve b2', at: batch.submittedAt}]
    const paused = await show({controls: {readFleet: async () => fleet, listApprovalsAsked: async () => approvals}})
    expect(paused).toContain('b2: needs 1 approval and has none')
    expect(paused).not.toContain('svc payouts resume')
  })

  it('says what the fees of the last month were', async () => {
    const text = await show({
      transactions: [
        transaction(1, 'COMPLETED', {createdAt: '2026-10-31T23:59:59Z'}),
        transaction(2, 'COMPLETED', {createdAt: '2026-10-01T00:00:00Z'}),
        transaction(3, 'COMPLETED', {createdAt: '2026-11-01T00:00:00Z'}),
        transaction(4, 'FAILED', {createdAt: '2026-10-02T00:00:00Z'}),
        transaction(5, 'COMPLETED', {createdAt: '2026-09-30T23:59:59Z'}),
      ],
    })
    expect(text).toContain('Fees in October 2026 2.00 USD')
    // Not those of the journal alone, which `svc report` knows.
    expect(text).toContain('Of 2 transactions at the service, whoever made them.')
    expect(await show({})).toContain('Fees in October 2026 None')
  })

  it('shows the last of each payment that comes again, and whether this one went out', async () => {
    const rent = (month: string, more: Partial<JournalPayment> = {}) =>
      payment(`rent-${month}`, {template: 'rent-{month} in Europe/Berlin', slot: `${month}-01T08:00:00.000Z`, ...more})
    const row = (name: string, state = 'CREATED') =>
      payment(`pay-2026-11-15-${name}`, {template: `pay-{date}-${name}`, slot: '2026-11-15T08:00:00.000Z', state})
    const text = await show({
      payments: [
        rent('2026-10'),
        rent('2026-11', {transactionId: transaction(7).transactionId}),
        row('anna'),
        row('bo'),
      ],
      transactions: [transaction(7, 'COMPLETED')],
    })
    expect(text).toMatch(/pay-\{date\} 2 payments 2026-11-15 08:00 2 of 2 paid Not yet today/)
    expect(text).toMatch(/rent-2026-11 1,500 USDC 2026-11-01 08:00 Completed (?!Not yet)/)
    expect(text).not.toContain('rent-2026-10')
    const late = await show({payments: [rent('2026-10'), row('anna'), row('bo', 'STOPPED')]})
    expect(late).toMatch(/rent-2026-10 1,500 USDC 2026-10-01 08:00 Created Not yet this month/)
    expect(late).toContain('1 of 2 paid')
  })

  it('counts months in the zone of the key', async () => {
    const late = Date.UTC(2026, 9, 31, 23, 30)
    const tell = (template: string) =>
      showSource(
        createSource({payments: [payment('rent-2026-10', {template, slot: '2026-10-01T08:00:00.000Z'})]}),
        late,
      )
    expect(await tell('rent-{month}')).not.toContain('Not yet this month')
    expect(await tell('rent-{month} in Europe/Berlin')).toContain('Not yet this month')
  })

  it('asks nobody about what was stopped before its time', async () => {
    const slot = (month: string, state: string) =>
      payment(`rent-${month}`, {template: 'rent-{month}', slot: `${month}-01T00:00:00.000Z`, state})
    const text = await show({payments: [slot('2026-11', 'CREATED'), slot('2026-12', 'STOPPED')]})
    expect(text).toContain('Nothing needs you now.')
    expect(text).toMatch(/rent-2026-11 1,500 USDC 2026-11-01 00:00 Created/)
    expect(text).not.toContain('rent-2026-12')
  })

  it('says what could not be read, and shows the rest', async () => {
    const fails = async () => {
      throw badSettings('The journal is broken', 'Restore it')
    }
    const text = await show({controls: {listApprovalsAsked: fails}, payments: [payment('lost', {state: 'UNKNOWN'})]})
    expect(text).toContain('The journal is broken')
    expect(text).toContain('the answer was lost: it may have been paid')
  })
})
