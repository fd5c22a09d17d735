// Counts what three commands load and open. The sandbox has the same customers and accounts wherever it is made.
import {spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type {Readable} from 'node:stream'
import {text} from 'node:stream/consumers'
import {startSandbox} from '../bench/sandbox.ts'
import {createEnv} from '../bench/start-up.ts'
import {root} from '../surface.ts'
import type {Counted} from './run-counted.ts'

export interface RunFigures {
  listModules: number
  payModules: number
  journals: number
  clients: number | undefined
  sandboxes: number
}

const list = ['customers', 'list', '--json']
// From the wallet of a customer to its bank account. The methods follow from the accounts, so svc has to read these.
const openRoute = [
  ['--customer', '4738020a-a06d-4ef3-bc07-b5cacbf3446c'],
  ['--from', '64fbd491-4b09-49d5-b40c-8b27facb31a9'],
  ['--to', 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'],
  ['--from-currency', 'USDC'],
].flat()
const wholeRoute = [...openRoute, '--from-method', 'SOLANA', '--to-currency', 'USD', '--to-method', 'ACH']
const pay = (key: string, route: readonly string[]) => ['pay', '--key', key, '--amount', '1', '--yes', ...route]

async function runCounted(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Counted> {
  const program = path.join(root, 'scripts/measure/run-counted.ts')
  const child = spawn(process.execPath, [program, ...args], {env, stdio: ['ignore', 'ignore', 'pipe', 'pipe']})
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const told = child.stdio[3] as Readable
  const [err, counted, code] = await Promise.all([text(child.stdio[2] as Readable), text(told), ended])
  if (code !== 0) throw new Error(`svc ${args.join(' ')} ended with ${String(code)}: ${err}`)
  return JSON.parse(counted) as Counted
}

async function countModules(folder: string): Promise<Pick<RunFigures, 'listModules' | 'payModules'>> {
  const server = await startSandbox(path.join(root, 'bin/dev.js'), path.join(folder, 'service.sqlite'))
  const env = {...createEnv(folder), SVC_BASE_URL: server.url, SVC_API_KEY: server.apiKey, SVC_RESEND: 'always'}
  try {
    const listed = await runCounted(list, env)
    const paid = await runCounted(pay('measure-http', wholeRoute), env)
    return {listModules: listed.modules.length, payModules: paid.modules.length}
  } finally {
    server.process.kill()
  }
}

// The first payment makes the journal and the sandbox, which opens files more often, so the second one is counted.
async function countOpened(folder: string): Promise<Omit<RunFigures, 'listModules' | 'payModules'>> {
  const env = {...createEnv(folder), SVC_PROFILE: 'sandbox'}
  await runCounted(pay('measure-first', openRoute), env)
  const {databases, clients} = await runCounted(pay('measure-second', [...openRoute, '--allow-duplicates']), env)
  const count = (name: string) => databases.filter((file) => file.startsWith(name)).length
  return {journals: count('journal'), clients, sandboxes: count('sandbox')}
}

export async function measureRuns(): Promise<RunFigures> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-measure-'))
  try {
    return {...(await countModules(folder)), ...(await countOpened(folder))}
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
