// The decisions about a write and about a payee, as tables: what binds somebody, and which request it stops.
import {describe, expect, it} from 'vitest'
import {
  type Controls,
  PolicyChanged,
  type WriteRequest,
  decideWrite,
  nameWrite,
  paymentWrite,
} from '../../../src/controls/decide.ts'
import type {Decision, RecordedDecision} from '../../../src/controls/decisions.ts'
import {
  type Payee,
  createPayeeWaitsError,
  describePayees,
  findHeldPayees,
  getCoolDownRules,
  listNewPayees,
  readSeenPayees,
  toPayeeSubject,
} from '../../../src/controls/new-payees.ts'
import {describeOperator} from '../../../src/controls/operator.ts'
import {SvcError, badUsage} from '../../../src/errors.ts'

const readCode = (work: () => void): string => {
  try {
    work()
    return ''
  } catch (error) {
    return error instanceof SvcError ? error.error : String(error)
  }
}

const rule = '/automation-rules'
const requests = {
  read: {method: 'GET', path: '/transactions'},
  customer: {method: 'POST', path: '/customers'},
  payment: {method: 'POST', path: '/transactions'},
  paymentInLimits: {method: 'POST', path: '/transactions', checksLimits: true},
  approvedPayment: {method: 'POST', path: '/transactions', checksApprovals: true},
  checkedPayment: paymentWrite,
  rule: {method: 'PUT', path: `${rule}/r-1`},
  deletion: {method: 'DELETE', path: `${rule}/r-1`},
} satisfies Record<string, WriteRequest>

type Stopped = Partial<Record<keyof typeof requests, string>>

const bind = (binding: Partial<Controls['binding'] & object>): Partial<Controls> => ({
  binding: {serviceId: 's', own: {readOnly: false}, mark: 0, runner: {user: 'u', approvers: []}, ...binding},
})
const refusal = new SvcError({error: 'POLICY_REFUSES', kind: 'limit', message: '', hint: ''})
const everyWrite = (code: string): Stopped =>
  Object.fromEntries(Object.keys(requests).flatMap((name) => (name === 'read' ? [] : [[name, code]])))
const {customer: _, ...consequential} = everyWrite('POLICY_REFUSES')
const unchecked = {payment: 'LIMIT_REACHED', approvedPayment: 'LIMIT_REACHED', rule: 'LIMIT_REACHED'}
const unapproved = {payment: 'NOT_APPROVED', paymentInLimits: 'NOT_APPROVED', rule: 'NOT_APPROVED'}
const limits: Partial<Controls> = {spending: {destinations: []}}
const approvals: Partial<Controls> = {approvals: {required: 1, approvers: []}}

describe('a write', () => {
  it.each<[string, Partial<Controls>, Stopped]>([
    ['nothing', {}, {}],
    ['a binding without a refusal', bind({}), {}],
    [
      'no limits, no approvals and no waiting',
      {spending: {}, approvals: {required: 0, approvers: []}, coolDownMs: 0},
      {},
    ],
    ['a policy that refuses', {...bind({refusal}), readOnly: true}, everyWrite('POLICY_REFUSES')],
    ['a policy that refuses payments', bind({payRefusal: refusal}), consequential],
    ['a profile that only reads', {readOnly: true}, everyWrite(badUsage('', '').error)],
    ['limits', limits, unchecked],
    ['approvals', approvals, unapproved],
    ['waiting', {coolDownMs: 1}, unapproved],
    ['limits and approvals', {...limits, ...approvals}, {...unapproved, ...unchecked}],
  ])('of somebody whom %s binds', (_name, controls, stopped) => {
    const judge = (request: WriteRequest) =>
      readCode(() => decideWrite({label: 'the test', readOnly: false, ...controls}, request))
    const codes = Object.entries(requests).map(([name, request]) => [name, judge(request)])
    expect(Object.fromEntries(codes.filter(([, code]) => code !== ''))).toEqual(stopped)
  })

  it.each([
    ['POST /transactions', true],
    ['POST /quotes', true],
    [`POST ${rule}`, true],
    [`PUT ${rule}/r-1`, true],
    [`DELETE ${rule}/r-1`, true],
    ['POST /customers', true],
    ['PATCH /customer/c-1', true],
    ['PATCH /customers/c-1', true],
    ['PATCH /batches', true],
    // Requests of other methods, or to something below or above these paths.
    ['PUT /customers/c-1', false],
    ['PATCH /customers', false],
    ['PATCH /customers/', false],
    ['POST /transactions/t-1', false],
    ['POST /v1/transactions', false],
    ['POST /quotes/q-1', false],
    ['POST /customers/c-1', false],
    [`POST ${rule}/r-1`, false],
    [`PUT ${rule}`, false],
    [`PUT ${rule}/`, false],
    [`PUT ${rule}/r-1/x`, false],
    [`DELETE ${rule}/`, false],
    [`DELETE ${rule}/r-1/x`, false],
    ['PATCH /customers/c-1/x', false],
    ['PATCH /batches/b-1', false],
    ...['POST /transactions', 'POST /quotes', `POST ${rule}`, 'POST /customers', 'PATCH /batches'].map(
      (request) => [`X${request}`, false] as const,
    ),
    ...[`PUT ${rule}/r-1`, `DELETE ${rule}/r-1`, 'PATCH /customers/c-1'].map(
      (request) => [`X${request}`, false] as const,
    ),
  ] as const)('%s has a name of its own: %s', (request, isNamed) => {
    const [method = '', path = ''] = request.split(' ')
    const name = nameWrite({method, path})
    expect(name).not.toBe('')
    expect(name !== request).toBe(isNamed)
  })

  it('that a change of the policy stops is a limit, and can be tried again', () => {
    expect(new PolicyChanged('rent')).toMatchObject({error: 'POLICY_CHANGED', kind: 'limit', exitCode: 10})
  })
})

const hourMs = 3_600_000
const nowMs = 1_700_000_000_000
const clock = {wall: () => nowMs, earliest: () => nowMs, latest: () => nowMs}

// A journal that knows these payees, and keeps what it is told.
function createJournal(known: readonly Payee[]) {
  const recorded: Decision[] = []
  const asked: string[][] = []
  return {
    recorded,
    asked,
    listPayees: async (serviceId: string, accounts: readonly string[]) => {
      asked.push([serviceId, ...accounts])
      return known.filter(({destination}) => accounts.includes(destination))
    },
    recordDecision: async (decision: Decision) => void recorded.push(decision),
  }
}

describe('a payee', () => {
  const rules = {coolDownMs: hourMs, allowed: new Set(['allowed']), isDryRun: false}
  it.each<[string, Partial<typeof rules>, string[], string[]]>([
    ['waits from when it was first seen', {}, ['seen', 'unseen'], ['unseen']],
    ['leaves no trace in a dry run', {isDryRun: true}, ['seen', 'unseen'], []],
    ['does not wait if nobody does', {coolDownMs: 0}, [], []],
    ['does not wait if all are allowed', {allowed: new Set(['allowed', 'seen', 'unseen', 'paid', 'waited'])}, [], []],
  ])('%s', async (_name, change, held, recorded) => {
    const journal = createJournal([
      {destination: 'paid', isPaid: true, firstSeenAt: nowMs},
      {destination: 'seen', isPaid: false, firstSeenAt: nowMs - hourMs + 1},
      {destination: 'waited', isPaid: false, firstSeenAt: nowMs - hourMs},
    ])
    const all = ['allowed', 'seen', 'unseen', 'paid', 'waited', 'unseen']
    const found = await findHeldPayees({journal, clock}, 's', all, {...rules, ...change})
    expect(found).toEqual(
      held.map((destination) => ({destination, until: destination === 'seen' ? nowMs + 1 : nowMs + hourMs})),
    )
    expect(journal.recorded).toEqual(
      recorded.map((destination) => ({
        kind: 'PAYEE_SEEN',
        about: {serviceId: '', key: `payee ${destination}`},
        who: describeOperator(),
        data: {destination, seenBy: 's', seenAt: nowMs},
      })),
    )
    expect(journal.asked.flat()).toEqual(held.length > 0 ? ['s', 'seen', 'unseen', 'paid', 'waited'] : [])
  })

  it('is first seen when a line of its service says so first', () => {
    const see = (destination: string, seenBy: string, seenAt: number): RecordedDecision => ({
      at: 0,
      detail: {kind: 'PAYEE_SEEN', data: {destination, seenBy, seenAt}},
    })
    const lines = [
      {at: 0},
      {at: 0, detail: {kind: 'OTHER', data: {destination: 'a', seenBy: 's', seenAt: 1}}},
      see('a', 's', 7),
      see('a', 's', 5),
      see('a', 's', 6),
      see('a', 'another', 1),
      see('b', 's', 9),
    ]
    expect([...readSeenPayees('s', lines)]).toEqual([
      ['a', 5],
      ['b', 9],
    ])
    expect(toPayeeSubject('a')).toEqual({serviceId: '', key: 'payee a'})
  })

  it('is new until it was paid, and is named once', async () => {
    const journal = createJournal([
      {destination: 'paid', isPaid: true},
      {destination: 'seen', isPaid: false},
    ])
    const rows = ['seen', 'paid', 'unseen', 'seen'].map((to, line) => ({to, line}))
    const found = await listNewPayees({serviceId: 's', journal}, rows, ({to}) => to)
    expect(found.map(({to}) => to)).toEqual(['seen', 'unseen'])
    expect(journal.asked).toEqual([['s', 'seen', 'paid', 'unseen']])
    expect(describePayees(3, ['seen', 'unseen'])).toMatchObject([
      {lines: [expect.stringMatching(/^3 .*\b2\b/)]},
      {lines: ['seen', 'unseen']},
    ])
  })

  it('does not wait if it was approved, or stands in the policy', () => {
    const version = {serviceId: 's', digest: '', at: 0, by: '', approvedBy: [], policy: {allow: ['a']}}
    const controls = {label: '', readOnly: false, coolDownMs: 5, ...bind({version})}
    expect(getCoolDownRules(controls, {isApproved: false})).toEqual({
      coolDownMs: 5,
      allowed: new Set(['a']),
      isDryRun: false,
    })
    expect(getCoolDownRules(controls, {isApproved: true}, true)).toMatchObject({coolDownMs: 0, isDryRun: true})
    expect(getCoolDownRules({label: '', readOnly: false}, {isApproved: false})).toMatchObject({coolDownMs: 0})
    const {binding} = bind({})
    expect(getCoolDownRules({...controls, binding}, {isApproved: false}).allowed.size).toBe(0)
  })

  it('that waits stops a payment, and says until when', () => {
    const error = createPayeeWaitsError('The payment', {destination: 'seen', until: nowMs})
    expect(error).toMatchObject({
      error: 'PAYEE_WAITS',
      exitCode: 10,
      message: expect.stringMatching(/seen.*2023-11-14/),
    })
  })
})
