// An agent as the SDK of the protocol has it: starts `svc mcp` and calls its tools. The person at the machine reads the address of the
// page from standard error, and answers there.
import {Client, type RequestOptions} from '@modelcontextprotocol/client'
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio'
import {expect, onTestFinished} from 'vitest'
import {type BrowserLauncher, createBrowserLauncher} from '../../support/browser-launcher.ts'
import {enterPage} from '../../support/entrance.ts'
import {servePayments} from '../../support/scripted-service.ts'
import {type Home, bin, freshHome, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'
import {login} from '../profiles/logins.ts'

type Answer = Record<string, unknown>

export interface Agent {
  client: Client
  call(tool: string, input?: Record<string, unknown>, options?: RequestOptions): Promise<Answer>
  // Everything that came over the protocol, as text.
  heard: string[]
  // The addresses of the pages that were announced, oldest first.
  listPages(): string[]
}

export async function startAgent(home: Home, ...args: string[]): Promise<Agent> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', ...args],
    env: home.env,
    cwd: home.folder,
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const client = new Client({name: 'a test', version: '1.0.0'})
  await client.connect(transport)
  onTestFinished(() => client.close())
  const heard: string[] = []
  return {
    client,
    heard,
    listPages: () => said.match(/http:\/\/127\.0\.0\.1:\d+\/\S+/g) ?? [],
    async call(tool, input = {}, options = {}) {
      const result = await client.callTool({name: tool, arguments: input}, options)
      heard.push(JSON.stringify(result))
      return (result.structuredContent ?? {error: JSON.stringify(result.content)}) as Answer
    },
  }
}

interface OpenedPage {
  page: string
  // What the person clicks.
  answer: (given: 'yes' | 'no') => Promise<void>
  // The title of the page that a click leads to, or undefined if svc has ended.
  click: (given: 'yes' | 'no') => Promise<string | undefined>
}

// The page that was announced after the first `before` ones, as the person sees it.
export async function openAnnouncedPage(agent: Pick<Agent, 'listPages'>, before = 0): Promise<OpenedPage> {
  await expect.poll(() => agent.listPages().length).toBeGreaterThan(before)
  const {url, cookie} = await enterPage(agent.listPages().at(-1) ?? '')
  const page = await (await fetch(url, {headers: {cookie}})).text()
  const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const post = (given: 'yes' | 'no') => {
    const form = new URLSearchParams({proof, answer: given})
    return fetch(url, {method: 'POST', body: form, headers: {cookie, origin: new URL(url).origin}})
  }
  return {
    page,
    answer: async (given) => expect((await post(given)).status).toBe(200),
    async click(given) {
      const reply = await post(given).catch(() => undefined)
      return reply && /<h1>([^<]+)</.exec(await reply.text())?.[1]
    },
  }
}

export async function answerOnPage(agent: Pick<Agent, 'listPages'>, given: 'yes' | 'no', before = 0): Promise<string> {
  const {page, answer} = await openAnnouncedPage(agent, before)
  await answer(given)
  return page
}

export const askedPlan = {
  customer: seeded.customer,
  from: seeded.wallet,
  to: seeded.externalWallet,
  fromCurrency: 'USDC',
  toCurrency: 'USDC',
  amount: '10',
  key: 'invoice-4711',
}

export async function prepare(agent: Agent, more: Record<string, string> = {}) {
  const plan = {...askedPlan, ...more}
  const {planId} = await agent.call('pay_prepare', plan)
  return {planId, key: plan.key}
}

// A live profile at a service that the test scripts, with a bank account as the payee.
export async function createLiveHome() {
  const [home, service] = [freshHome(), await servePayments()]
  service.accounts.push({
    paymentAccountId: bankAccountId,
    paymentAccountType: 'EXTERNAL_BANK_ACCOUNT',
    paymentAccountStatus: 'ACTIVE',
    customerId: seeded.customer,
    externalBankAccount: {
      bankAccountOwnerName: 'Zephyrine Quill',
      bankName: 'Harbour Bank',
      bankAccountMask: '****6789',
      bankAccountCurrency: {label: 'USD'},
      bankAccountPaymentMethod: 'ACH',
    },
  })
  expect(await login(home, 'acme', service.url, service.env['SVC_API_KEY'])).toMatchObject({code: 0})
  await run(home, ['profiles', 'set', 'acme', '--payment-max', 'USDC=100'])
  return {home, service}
}

const bankAccountId = 'b5a3f5ab-41b5-4f8b-8a3b-2c8f7c1c0001'
export const toBank = {to: bankAccountId, fromMethod: 'SOLANA', toCurrency: 'USD', toMethod: 'ACH'}

interface AskedPayment {
  home: Home
  agent: Agent
  launcher: BrowserLauncher
  paying: Promise<Answer>
}

// An agent that waits for a yes in the sandbox, and the browser that svc starts for it, which is slow.
export async function askForYes(): Promise<AskedPayment> {
  const home = freshHome()
  await run(home, ['profiles', 'set', 'sandbox', '--payment-max', 'USDC=100', '--day-max', 'USDC=500'])
  const launcher = createBrowserLauncher(home, {isSlow: true})
  const agent = await startAgent({...home, env: {...home.env, ...launcher.env}}, '--allow-writes')
  const {planId} = await agent.call('pay_prepare', askedPlan)
  return {home, agent, launcher, paying: agent.call('pay_commit', {planId, key: askedPlan.key})}
}
