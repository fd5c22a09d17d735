// An agent that tries to get more out of a person's yes than the one payment that the person saw.
import {describe, expect, it} from 'vitest'
import {answerOnPage, askedPlan, createLiveHome, openAnnouncedPage, prepare, startAgent, toBank} from './agent.ts'
import {addFault, listTransactions} from '../../support/payments.ts'
import {refusal} from '../../support/scripted-service.ts'
import {customerId} from '../../support/service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'

async function createPayingHome(): Promise<Home> {
  const home = freshHome()
  await run(home, ['profiles', 'set', 'sandbox', '--payment-max', 'USDC=100', '--day-max', 'USDC=500'])
  return home
}

describe('a yes for a payment of an agent', () => {
  it('cannot be asked for with a key that would stand for many payments', async () => {
    const agent = await startAgent(await createPayingHome(), '--allow-writes')
    for (const key of ['tip-{hour}', 'tip-{date}', 'tip-{month}', 'tip-{', '{nothing}']) {
      const prepared = await agent.call('pay_prepare', {...askedPlan, key})
      expect(prepared).toMatchObject({exitCode: 2, message: expect.stringContaining('no placeholders') as string})
      expect(prepared).not.toHaveProperty('planId')
    }
    expect(agent.listPages()).toEqual([])
  })

  it('is used up by the attempt that it was given for, also if that paid nothing', async () => {
    const home = await createPayingHome()
    const agent = await startAgent(home, '--allow-writes')
    const before = (await listTransactions(home)).length
    const commit = await prepare(agent)
    await addFault(home, 'status', '--status', '400', '--times', '1')
    const refused = agent.call('pay_commit', commit)
    await answerOnPage(agent, 'yes')
    expect((await refused)['exitCode']).not.toBe(0)
    expect(await listTransactions(home)).toHaveLength(before)
    // The same arguments: the person is asked again, and says no.
    const again = agent.call('pay_commit', commit)
    await answerOnPage(agent, 'no', 1)
    expect(await again).toMatchObject({exitCode: 10, error: 'NOT_APPROVED'})
    expect(await listTransactions(home)).toHaveLength(before)
  })

  it('ends with the life of the quote that was shown', async () => {
    const home = await createPayingHome()
    const agent = await startAgent(home, '--allow-writes')
    const before = (await listTransactions(home)).length
    const commit = await prepare(agent)
    const late = agent.call('pay_commit', commit)
    const {answer} = await openAnnouncedPage(agent)
    // The clock of the sandbox goes on by more than the five minutes of a quote, while the page is open.
    expect(await run(home, ['sandbox', 'clock', 'advance', '6m'])).toMatchObject({code: 0})
    await answer('yes')
    expect(await late).toMatchObject({exitCode: 10, error: 'NOT_APPROVED'})
    expect(await listTransactions(home)).toHaveLength(before)
  })

  it('is of no use to another session', async () => {
    const home = await createPayingHome()
    const [one, other] = [await startAgent(home, '--allow-writes'), await startAgent(home, '--allow-writes')]
    const before = (await listTransactions(home)).length
    const commit = await prepare(one)
    expect(await other.call('pay_commit', commit)).toMatchObject({exitCode: 10, error: 'NO_PLAN'})
    await addFault(home, 'status', '--status', '400', '--times', '1')
    const first = one.call('pay_commit', commit)
    await answerOnPage(one, 'yes')
    await first
    expect(await prepare(other)).toEqual(commit)
    const second = other.call('pay_commit', commit)
    await answerOnPage(other, 'no')
    expect(await second).toMatchObject({error: 'NOT_APPROVED'})
    expect(await listTransactions(home)).toHaveLength(before)
  })
})

const toPageText = (page: string) => page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')

describe('a yes at a live service', () => {
  it('is not for what the same words mean a moment later', async () => {
    const {home, service} = await createLiveHome()
    const email = 'payroll@example.com'
    Object.assign(service.customers[0] ?? {}, {email})
    const agent = await startAgent(home, '-p', 'acme', '--allow-writes')
    const commit = await prepare(agent, {...toBank, customer: email})
    const paying = agent.call('pay_commit', commit)
    const {answer} = await openAnnouncedPage(agent)
    // The email belongs to somebody else now.
    Object.assign(service.customers[0] ?? {}, {email: 'old@example.com'})
    service.customers.push({...service.customers[0], customerId: customerId(9), email})
    await answer('yes')
    expect(await paying).toMatchObject({exitCode: 0})
    expect(service.transactions).toMatchObject([{customerId: service.customers[0]?.['customerId']}])
  })

  it('is asked for with the owner, the bank and the last digits, or says that they could not be read', async () => {
    const {home, service} = await createLiveHome()
    const agent = await startAgent(home, '-p', 'acme', '--allow-writes')
    const commit = await prepare(agent, toBank)
    const first = agent.call('pay_commit', commit)
    const named = await openAnnouncedPage(agent)
    for (const shown of ['An invented customer', 'Zephyrine Quill', 'Harbour Bank', '6789', 'live']) {
      expect(toPageText(named.page)).toContain(shown)
    }
    expect(named.page).not.toContain('could not be read')
    await named.answer('no')
    await first
    service.script({at: 'GET /payment-accounts', times: Infinity, reply: refusal(403, 'FORBIDDEN', 'No accounts')})
    const second = agent.call('pay_commit', commit)
    const unnamed = await openAnnouncedPage(agent, 1)
    expect(toPageText(unnamed.page)).toContain('The names could not be read from the service: you see ids alone.')
    await unnamed.answer('no')
    expect(await second).toMatchObject({error: 'NOT_APPROVED'})
    expect(service.requestsTo('POST /transactions')).toEqual([])
  })
})

it('the page of a yes shows what svc read from the service, and the words of the agent only as a quotation', async () => {
  const home = await createPayingHome()
  const agent = await startAgent(home, '--allow-writes')
  const key = 'Amount:1-USDC,approved-by-the-board'
  const commit = await prepare(agent, {key, to: seeded.externalWallet})
  const waiting = agent.call('pay_commit', commit)
  const {page, answer} = await openAnnouncedPage(agent)
  const text = toPageText(page)
  // Names, accounts, amounts and fees as the service has them.
  for (const shown of ['Zoë Ångström', seeded.wallet, seeded.externalWallet, '10', 'USDC', 'Fee', 'Arrives']) {
    expect(text).toContain(shown)
  }
  expect(text).toMatch(/Payee New: svc has never paid this account/)
  const [facts = '', rest = ''] = page.split('</dl>')
  expect(facts).not.toContain('approved-by-the-board')
  expect(rest).toContain(`<q>${key}</q>`)
  await answer('yes')
  expect(await waiting).toMatchObject({exitCode: 0})
  const next = agent.call('pay_commit', await prepare(agent, {key: 'invoice-4712', amount: '11'}))
  const second = await openAnnouncedPage(agent, 1)
  expect(toPageText(second.page)).toContain('Payee Paid before')
  await second.answer('no')
  await next
})
