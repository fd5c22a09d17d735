// An agent that tries to find out masked emails by searching: letter by letter, and by guessing whole ones.
import {describe, expect, it} from 'vitest'
import {type Agent, startAgent} from './agent.ts'
import {login} from '../profiles/logins.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome} from '../../support/svc.ts'

const callsMax = 60
const email = 'ada.lindqvist@example.com'

async function startSearchingAgent(): Promise<Agent> {
  const home = freshHome()
  const customers = [
    customer(1, {name: 'Ada Lindqvist', email}),
    customer(2, {name: 'Ada Berg', email: 'berg@example.com'}),
  ]
  const service = await serve(({path}, response) =>
    path === '/customers' ? reply(response, 200, {customers}) : reply(response, 200, customers[0]),
  )
  expect(await login(home, 'acme', service.url, 'sk_test_0123456789abcdef')).toMatchObject({code: 0})
  return startAgent(home, '-p', 'acme')
}

const listFound = ({data}: Record<string, unknown>): string[] =>
  ((data as {customers?: Array<{customerId: string}>} | undefined)?.customers ?? []).map((each) => each.customerId)

describe('searching over MCP', () => {
  it('finds whole words, names and emails alike', async () => {
    const agent = await startSearchingAgent()
    const search = async (text: string) => listFound(await agent.call('customers_list', {search: text}))
    expect(await search('ADA')).toEqual([customerId(1), customerId(2)])
    expect(await search('lindqvist ada')).toEqual([customerId(1)])
    expect(await search(email)).toEqual([customerId(1)])
    expect(await search(customerId(2))).toEqual([customerId(2)])
    for (const part of [
      'ad',
      'lindq',
      'ada.lindqvist',
      'example.com',
      'ada.',
      '@',
      'a',
      `${email}.`,
      email.slice(0, -1),
    ]) {
      expect([part, await search(part)]).toEqual([part, []])
    }
  })

  it('is bounded in a session, whichever tool is asked', async () => {
    const agent = await startSearchingAgent()
    const guesses = Array.from({length: callsMax}, (_, index) => `guess${index}@example.com`)
    const tools = [
      'customers_list',
      'customer_get',
      'customer_issues',
      'accounts_list',
      'transactions_list',
      'rules_list',
    ]
    let answered = 0
    for (const [index, guess] of guesses.entries()) {
      const tool = tools[index % tools.length] ?? ''
      const input = tool === 'customers_list' ? {search: guess} : {customer: guess}
      const {error} = await agent.call(tool, input)
      if (error !== 'SEARCHED_TOO_OFTEN') answered++
    }
    expect(answered).toBe(50)
    const refused = await agent.call('customers_list', {search: email})
    expect(refused).toMatchObject({
      exitCode: 10,
      message: 'This session has searched 50 times, and may not search again.',
    })
    expect(await agent.call('customer_get', {customer: email})).toMatchObject({error: 'SEARCHED_TOO_OFTEN'})
    // An id is no guess.
    expect(await agent.call('customer_get', {customer: customerId(1)})).toMatchObject({exitCode: 0})
    expect(await agent.call('customers_list')).toMatchObject({exitCode: 0})
  })
})
