// An agent that tries to get more out of a person's yes than the one payment that the person saw.
import {describe, expect, it} from 'vitest'
import {answerOnPage, openAnnouncedPage, startAgent} from '../mcp/agent.ts'
import {addFault, listTransactions} from '../support/payments.ts'
import {type Home, freshHome, run} from '../support/svc.ts'
import {seeded} from '../support/transactions.ts'

const route = {
  customer: seeded.customer,
  from: seeded.wallet,
  to: seeded.externalWallet,
  fromCurrency: 'USDC',
  toCurrency: 'USDC',
}

async function createPayingHome(): Promise<Home> {
  const home = freshHome()
  await run(home, ['profiles', 'set', 'sandbox', '--payment-max', 'USDC=100', '--day-max', 'USDC=500'])
  return home
}

const prepare = async (agent: Awaited<ReturnType<typeof startAgent>>, more: Record<string, string> = {}) => {
  const plan = {...route, amount: '10', key: 'invoice-4711', ...more}
  const {planId} = await agent.call('pay_prepare', plan)
  return {planId, key: plan.key}
}

describe('a yes for a payment of an agent', () => {
  it.each(['tip-{hour}', 'tip-{date}', 'tip-{month}', 'tip-{', '{nothing}'])(
    'cannot be asked for with the key %s, which would stand for many payments',
    async (key) => {
      const home = await createPayingHome()
      const agent = await startAgent(home, '--allow-writes')
      const prepared = await agent.call('pay_prepare', {...route, amount: '10', key})
      expect(prepared).toMatchObject({
        exitCode: 2,
        message: 'The key of an agent names one payment, so it has no placeholders and no braces.',
      })
      expect(prepared['planId']).toBeUndefined()
      expect(agent.listPages()).toEqual([])
    },
  )

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

  it('is not needed to hear that the payment was made, and pays nothing more', async () => {
    const home = await createPayingHome()
    const agent = await startAgent(home, '--allow-writes')
    const before = (await listTransactions(home)).length
    const commit = await prepare(agent)
    const paid = agent.call('pay_commit', commit)
    await answerOnPage(agent, 'yes')
    const {transactionId} = (await paid)['data'] as {transactionId: string}
    const again = await agent.call('pay_commit', commit)
    expect(again).toMatchObject({exitCode: 0, data: {transactionId}})
    expect(agent.listPages()).toHaveLength(1)
    expect(await listTransactions(home)).toHaveLength(before + 1)
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

describe('the page of a yes', () => {
  it('shows what svc read from the service, and the words of the agent only as a quotation', async () => {
    const home = await createPayingHome()
    const agent = await startAgent(home, '--allow-writes')
    const key = 'Amount:1-USDC,approved-by-the-board'
    const commit = await prepare(agent, {key, to: seeded.externalWallet})
    const waiting = agent.call('pay_commit', commit)
    const {page, answer} = await openAnnouncedPage(agent)
    const text = page.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ')
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
    expect(second.page.replaceAll(/<[^>]+>|\s+/g, ' ').replaceAll(/ +/g, ' ')).toContain('Payee Paid before')
    await second.answer('no')
    await next
  })
})
