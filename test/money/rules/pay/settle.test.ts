// svc journal settle: in a terminal, in a pipe, as JSON, rejected, and decided by a person.
import {describe, expect, it} from 'vitest'
import {describeOperator} from '../../../../src/controls/operator.ts'
import {
  readJournalEntry,
  inSandbox,
  payWithUnknownOutcome,
  pay,
  payment,
  listTransactions,
} from '../../../support/payments.ts'
import {refusal, servePayments} from '../../../support/scripted-service.ts'
import type {Step} from '../../../support/scripted/behaviour.ts'
import {type Home, freshHome, json, run, setUp} from '../../../support/svc.ts'
import {onTerminal} from '../../../support/terminal.ts'
import {seeded} from '../../../support/transactions.ts'
import {useVirtualTime} from '../../../support/virtual-time.ts'

useVirtualTime()

const settle = (home: Home, ...args: string[]) => run(home, ['journal', 'settle', ...args, ...inSandbox])

interface Row {
  key: string
  state: string
  transactionId?: string
}
const readRows = (out: string) => json(out)['settled'] as Row[]

describe('a payment that was not made', () => {
  const no = refusal(400, 'BAD_REQUEST', 'Not today')
  it.each<[state: string, end: 'paid' | 'adopted', step: Step, flags: string[]]>([
    ['INTENDED', 'paid', {at: 'POST /quotes', reply: no}, []],
    ['STOPPED', 'paid', {}, ['--min-rate', '2']],
    ['REJECTED', 'paid', {acts: 'never', reply: no}, []],
    ['INTENDED', 'adopted', {at: 'POST /quotes', reply: no}, []],
    ['REJECTED', 'adopted', {acts: 'never', reply: no}, []],
  ])(
    'and is %s is no longer named once a person dismisses it, until it is tried again; it can be %s',
    async (state, end, step, flags) => {
      const service = await servePayments()
      const [home, env] = [freshHome(), service.env]
      const runHere = (...args: string[]) => run(home, args, {env})
      const failToPay = async () => {
        const {remove} = service.script({...step, times: Infinity})
        expect((await runHere(...payment('k', '10'), '--yes', '--no-guarantee', ...flags)).code).not.toBe(0)
        remove()
      }
      const readFailed = async () => {
        const {attention} = json((await runHere('status', '--json')).out) as {attention: Array<{kind: string}>}
        return attention.map(({kind}) => kind)
      }
      await failToPay()
      expect(await readFailed()).toEqual(['failedPayments'])
      const asked = await runHere('journal', 'settle', 'k')
      expect([asked.code, asked.err]).toEqual([0, expect.stringContaining(`k is ${state}, so nothing about it is`)])
      const dismissed = await runHere('journal', 'settle', 'k', '--why', 'a typo', '--yes', '--json')
      expect([dismissed.code, json(dismissed.out)]).toMatchObject([0, {state, dismissed: true}])
      expect(await readFailed()).toEqual([])
      expect((await runHere('journal', 'show', 'k', '-o', 'table')).out).not.toMatch(/^dismissed/im)
      await failToPay()
      expect(await readFailed()).toEqual(['failedPayments'])
      await runHere('journal', 'settle', 'k', '--why', 'a typo', '--yes')
      if (end === 'adopted') {
        const other = await run(freshHome(), [...payment('other', '11'), '--yes', '--json'], {env})
        const id = String(json(other.out)['transactionId'])
        const adopted = await runHere('journal', 'settle', 'k', '--adopt', id, '--why', 'paid elsewhere', '--yes')
        expect(adopted.code).toBe(0)
      } else {
        // The key is as free as before.
        expect((await runHere(...payment('k', '11'), '--yes')).code).toBe(0)
      }
      const {history, ...shown} = json((await runHere('journal', 'show', 'k', '--json')).out)
      expect(shown).toMatchObject({state: 'CREATED'})
      expect(shown).not.toHaveProperty('dismissed')
      expect(history).toContainEqual(
        expect.objectContaining({what: 'DISMISSED', detail: {...describeOperator(), why: 'a typo'}}),
      )
      expect((await runHere('journal', 'verify')).code).toBe(0)
      expect((await runHere('journal', 'settle', 'k', '--why', 'a typo', '--yes')).code).toBe(2)
    },
  )
})

describe('svc journal settle', () => {
  it('settles what can be settled, with a row for each, and changes nothing else', async () => {
    const home = freshHome()
    await pay(home, 'made', '10', '--quiet')
    await payWithUnknownOutcome(home, 'a', '20')
    await payWithUnknownOutcome(home, 'b', '30')
    const settled = await settle(home, '--json')
    expect(settled.code).toBe(0)
    expect(readRows(settled.out)).toMatchObject([
      {key: 'a', state: 'CREATED'},
      {key: 'b', state: 'CREATED'},
    ])
    const listed = (await listTransactions(home)).map((one) => one['transactionId'])
    expect(listed).toEqual(expect.arrayContaining(readRows(settled.out).map(({transactionId}) => transactionId)))
    const again = await settle(home)
    expect(again).toEqual({code: 0, out: '', err: expect.stringContaining('All payments are settled.') as string})
  })

  it('only searches, and sends nothing, if the profile is read-only or keys are not known to be honoured', async () => {
    const home = freshHome()
    await payWithUnknownOutcome(home, 'a', '20')
    const {sends} = await readJournalEntry(home, 'a')
    for (const flags of [['--read-only'], ['--no-read-only', '--resend', 'unknown']]) {
      await setUp(home, ['profiles', 'set', 'sandbox', ...flags, '--quiet'])
      const unsettled = await settle(home, '--timeout', '300ms', '--json')
      expect(unsettled.code).toBe(7)
      expect(readRows(unsettled.out)).toMatchObject([{key: 'a', state: 'UNKNOWN'}])
      expect(unsettled.err).toMatch(/Run it again after \S+ \S+ UTC and again after \S+ \S+ UTC/)
    }
    expect((await readJournalEntry(home, 'a'))['sends']).toBe(sends)
    await setUp(home, ['profiles', 'set', 'sandbox', '--resend', 'yes', '--quiet'])
    expect(await settle(home, '--quiet')).toEqual({code: 0, out: '', err: ''})
  })

  it('needs a yes on live, before it asks the service anything', async () => {
    const service = await servePayments()
    const live = await run(freshHome(), ['journal', 'settle'], {env: {...service.env, SVC_RESEND: 'yes'}})
    expect(live).toMatchObject({code: 2, out: '', err: expect.stringContaining('--yes') as string})
    expect(service.requests).toEqual([])
  })
})

describe('a decision by a person', () => {
  it('adopts an existing transaction of the same customer, and records who and why', async () => {
    const home = freshHome()
    await payWithUnknownOutcome(home, 'a', '20')
    const unknown = '00000000-0000-4000-8000-000000000000'
    const {out} = await run(home, ['transactions', 'list', '--all', '--json', ...inSandbox])
    const all = json(out)['transactions'] as Array<{customerId: string; transactionId: string}>
    const ofAnother = all.find(({customerId}) => customerId !== seeded.customer)?.transactionId ?? ''
    for (const id of [unknown, ofAnother]) {
      expect(await settle(home, 'a', '--adopt', id, '--why', 'x', '--yes')).toMatchObject({code: 5, out: ''})
      expect((await readJournalEntry(home, 'a'))['state']).toBe('UNKNOWN')
    }
    const adopted = await settle(home, 'a', '--adopt', seeded.awaiting, '--why', 'ticket 4711', '--yes', '--json')
    expect(adopted.code).toBe(0)
    expect(adopted.err.trimEnd().split('\n')).toEqual(
      expect.arrayContaining([
        'Warning: the service has the source amount 120.00 USD, the payment asked for 20 USDC.',
        expect.stringMatching(/^Warning: the service has the destination account \S+, the payment asked for \S+\.$/),
      ]),
    )
    expect(json(adopted.out)).toMatchObject({state: 'CREATED', transactionId: seeded.awaiting})
    const {history} = (await readJournalEntry(home, 'a')) as {history: unknown[]}
    expect(history.at(-1)).toMatchObject({
      what: 'ADOPTED',
      detail: {by: 'a person', ...describeOperator(), why: 'ticket 4711', transactionId: seeded.awaiting},
    })
    const again = await settle(home, 'a', '--abandon', '--why', 'x', '--yes')
    expect(again).toMatchObject({code: 2, out: ''})
    expect(again.err).toContain(`it is the transaction ${seeded.awaiting}`)
  })

  it('needs the rights of a payment: a read-only profile and a dry run record none', async () => {
    const home = freshHome()
    await payWithUnknownOutcome(home, 'a', '20')
    const args = ['journal', 'settle', 'a', '--abandon', '--why', 'x', '--yes', ...inSandbox]
    expect(await run(home, args, {env: {SVC_DRY_RUN: '1'}})).toMatchObject({code: 2, out: ''})
    await setUp(home, ['profiles', 'set', 'sandbox', '--read-only', '--quiet'])
    // Such a profile settles by the list alone, and a dry run not even that.
    const plain = ['journal', 'settle', ...inSandbox]
    expect(await run(home, plain, {env: {SVC_DRY_RUN: '1'}})).toMatchObject({code: 2, out: ''})
    expect((await run(home, args)).code).toBe(2)
    expect((await readJournalEntry(home, 'a'))['state']).toBe('UNKNOWN')
  })

  it('asks before it abandons; then the key is paid again, once', async () => {
    const home = freshHome()
    await payWithUnknownOutcome(home, 'a', '20')
    const args = ['journal', 'settle', 'a', '--abandon', '--why', 'nothing there', ...inSandbox]
    const no = onTerminal(home, args, {cols: 120})
    await no.waitFor('was never made, so that its key can be paid again?')
    no.type('n\r')
    expect(await no.ended).toBe(130)
    const yes = onTerminal(home, args, {cols: 120})
    await yes.waitFor('?')
    yes.type('y\r')
    expect(await yes.ended).toBe(0)
    expect((await readJournalEntry(home, 'a'))['state']).toBe('ABANDONED')
    const made = await pay(home, 'a', '20', '--json')
    expect(made.code).toBe(0)
    const {correlationId} = json(made.out)
    expect((await listTransactions(home)).filter((one) => one['correlationId'] === correlationId)).toHaveLength(1)
  })
})

it('an adopted transaction belongs to one payment only and can be corrected', async () => {
  const [home, service] = [freshHome(), await servePayments()]
  service.alter = (transaction) => ({...transaction, correlationId: undefined, quoteId: 'another'})
  for (const key of ['one', 'two']) {
    const args = [...payment(key, '10'), '--yes', '--timeout', '1900ms']
    expect((await run(home, args, {env: service.env})).code).toBe(7)
  }
  const [first = '', second = ''] = service.transactions.map(({transactionId}) => String(transactionId))
  const adopt = (key: string, id: string) =>
    run(home, ['journal', 'settle', key, '--adopt', id, '--why', 'ticket 4711', '--yes'], {env: service.env})
  expect((await adopt('one', second)).code).toBe(0)
  expect(await adopt('two', second)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`The transaction ${second} already belongs to the payment one`) as string,
  })
  expect((await adopt('one', first)).code).toBe(0)
  expect((await adopt('two', second)).code).toBe(0)
  const shown = await run(home, ['journal', 'show', 'one', '--json'], {env: service.env})
  expect(json(shown.out)).toMatchObject({state: 'CREATED', transactionId: first})
  // Nor does a payment find its own transaction once another one has it.
  service.alter = (transaction) => transaction
  expect((await run(freshHome(), [...payment('rent', '10'), '--yes'], {env: service.env})).code).toBe(0)
  expect((await adopt('one', String(service.transactions[2]?.['transactionId']))).code).toBe(0)
  expect(await run(home, [...payment('rent', '10'), '--yes'], {env: service.env})).toMatchObject({
    code: 7,
    err: expect.stringContaining('which is that of the payment one') as string,
  })
})
