// What several rows need: servers, and environments in which svc uses them.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {type Route, type Server, bin, fundRoutes, sandboxCommand, startServer} from '../sandbox-server.ts'
import {root} from '../surface.ts'
import {addTransactions} from './add-transactions.ts'
import type {Bench} from './row.ts'

export const findScript = (name: string) => path.join(root, 'scripts/bench', name)

// NODE_EXTRA_CA_CERTS alone costs more than a start of svc.
export function createEnv(folder: string): NodeJS.ProcessEnv {
  const {NODE_EXTRA_CA_CERTS: _, SVC_PROFILE: _profile, ...inherited} = process.env
  return {...inherited, HOME: folder, SVC_CONFIG_DIR: path.join(folder, 'config'), SVC_CACHE_DIR: folder}
}

// With a profile that says that the sandbox honours keys; where that is not known, each payment is looked for again before it is sent.
export function logIn(folder: string, {url, apiKey}: Server): NodeJS.ProcessEnv {
  const env = {...createEnv(folder), SVC_PROFILE: 'bench'}
  const login = ['login', '-p', 'bench', '--base-url', url, '--sandbox', '--store', 'file', '--quiet']
  execFileSync(process.execPath, [bin, ...login], {env, input: `${apiKey}\n`})
  execFileSync(process.execPath, [bin, 'profiles', 'set', 'bench', '--resend', 'yes', '--quiet'], {env})
  return env
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], {stdio: 'ignore'})
    return os.cpus().length > 1
  } catch {
    return false
  }
}

// A server has its own core where the machine has two; the load uses the other.
const pinned = hasTaskset() ? ['taskset', '-c', '1'] : []

async function start({onClose}: Bench, command: readonly string[]): Promise<Server> {
  const server = await startServer([...pinned, ...command])
  onClose(() => void server.process.kill())
  return server
}

export const startService = (bench: Bench, ...flags: string[]): Promise<Server> =>
  start(bench, [process.execPath, findScript('service.ts'), ...flags])

export const routeAmount = '10.00'

export interface Paying {
  server: Server
  folder: string
  route: Route
  env: NodeJS.ProcessEnv
}

// A sandbox with so many transactions, in whose wallet there is money for the whole run. Its data may be in another folder.
export async function startSandbox(
  bench: Bench,
  {transactions, program, data = bench.folder}: {transactions: number; program?: string; data?: string},
): Promise<Paying> {
  const folder = fs.mkdtempSync(path.join(bench.folder, 'sandbox-'))
  const file = path.join(fs.mkdtempSync(path.join(data, 'data-')), 'sandbox.sqlite')
  const sandbox = openSandbox({file})
  const [route] = await fundRoutes(sandbox, 1)
  sandbox.close()
  addTransactions(file, transactions)
  const server = await start(bench, sandboxCommand(file, program))
  return {server, folder, route: route as Route, env: logIn(folder, server)}
}
