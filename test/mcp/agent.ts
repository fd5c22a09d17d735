// An agent as the SDK of the protocol has it: starts `svc mcp` and calls its tools. The person at the machine reads the address of the
// page from standard error, and answers there.
import {Client} from '@modelcontextprotocol/client'
import {StdioClientTransport} from '@modelcontextprotocol/client/stdio'
import {expect, onTestFinished} from 'vitest'
import {type Home, bin} from '../support/svc.ts'

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

// What the person does on the page that was announced as the last but `before` ones.
export async function answerOnPage(agent: Agent, answer: 'yes' | 'no', before = 0): Promise<string> {
  await expect.poll(() => agent.listPages().length).toBeGreaterThan(before)
  const url = agent.listPages().at(-1) ?? ''
  const page = await (await fetch(url)).text()
  const proof = /name="proof" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const form = new URLSearchParams({proof, answer})
  const reply = await fetch(url, {method: 'POST', body: form, headers: {origin: new URL(url).origin}})
  expect(reply.status).toBe(200)
  return page
}
