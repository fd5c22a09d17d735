// An agent as the SDK of the protocol has it: starts `svc mcp` and calls its tools. The person at the machine reads the address of the
// page from standard error, and answers there.
import {Client} from '@modelcontextprotocol/client'
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio'
import {expect, onTestFinished} from 'vitest'
import {type BrowserLauncher, createBrowserLauncher} from '../../support/browser-launcher.ts'
import {enterPage} from '../../support/entrance.ts'
import {type Home, bin, freshHome, run} from '../../support/svc.ts'
import {seeded} from '../../support/transactions.ts'

type Answer = Record<string, unknown>

export interface Agent {
  client: Client
  call(tool: string, input?: Record<string, unknown>, options?: {timeout?: number}): Promise<Answer>
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
}

// The page that was announced after the first `before` ones, as the person sees it.
export async function openAnnouncedPage(agent: Agent, before = 0): Promise<OpenedPage> {
  await expect.poll(() => agent.listPages().length).toBeGreaterThan(before)
  const {url, cookie} = await enterPage(agent.listPages().at(-1) ?? '')
  const page = await (await fetch(url, {headers: {cookie}})).text()
  const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? ''
  return {
    page,
    async answer(given) {
      const form = new URLSearchParams({proof, answer: given})
      const reply = await fetch(url, {method: 'POST', body: form, headers: {cookie, origin: new URL(url).origin}})
      expect(reply.status).toBe(200)
    },
  }
}

export async function answerOnPage(agent: Agent, given: 'yes' | 'no', before = 0): Promise<string> {
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
