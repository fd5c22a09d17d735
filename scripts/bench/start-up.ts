// Measures the start-up of the installed tarball, as ratios to bare Node in the same run, because machines are noisy.
import {execFileSync, spawn} from 'node:child_process'
import fs from 'node:fs'
import http from 'node:http'
import type {AddressInfo} from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {root} from '../surface.ts'

const rounds = 30
const warmUps = 3
const customersPerPage = 20

interface Target {
  name: string
  args: string[]
  ratioMax: number
  // The long-term target, printed for comparison.
  ratioReachable: number
}

// Packs and installs the tarball, so that the shipped program is measured.
function install(folder: string): string {
  const env = {...process.env, npm_config_loglevel: 'error'}
  const packed = execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    env,
  })
  const tarball = path.join(folder, packed.toString().trim())
  execFileSync('npm', ['install', '--global', '--omit=optional', '--prefix', folder, tarball], {env, stdio: 'ignore'})
  return path.join(folder, 'lib/node_modules/svc/bin/run.js')
}

function serveCustomers(): Promise<http.Server> {
  const customers = Array.from({length: customersPerPage}, (_, index) => ({
    customerId: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    customerStatus: 'ACTIVE',
    customerType: 'INDIVIDUAL',
    name: `Customer ${index}`,
    email: `customer${index}@example.com`,
    updatedAt: '2026-11-01T12:00:00Z',
    organizationId: '11111111-1111-4111-8111-111111111111',
  }))
  const body = JSON.stringify({customers})
  const server = http.createServer((_, response) => response.setHeader('content-type', 'application/json').end(body))
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

export async function benchStartUp(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  const bin = install(folder)
  const server = await serveCustomers()
  const {port} = server.address() as AddressInfo
  // NODE_EXTRA_CA_CERTS alone costs more than everything measured here.
  const {NODE_EXTRA_CA_CERTS: _, ...inherited} = process.env
  const env = {
    ...inherited,
    HOME: folder,
    SVC_CACHE_DIR: folder,
    SVC_BASE_URL: `http://127.0.0.1:${port}`,
    SVC_API_KEY: 'bench',
  }
  const targets: Target[] = [
    {name: 'node -e 0', args: ['-e', '0'], ratioMax: 1, ratioReachable: 1},
    {name: 'svc --version', args: [bin, '--version'], ratioMax: 1.3, ratioReachable: 1.1},
    {name: 'svc --help', args: [bin, '--help'], ratioMax: 2.5, ratioReachable: 1.2},
    {name: 'svc customers list --json', args: [bin, 'customers', 'list', '--json'], ratioMax: 4, ratioReachable: 2.5},
  ]
  const times = new Map<Target, number[]>(targets.map((target) => [target, []]))
  for (let round = -warmUps; round < rounds; round++) {
    for (const target of targets) {
      const elapsed = await timed(target, env)
      if (round >= 0) times.get(target)?.push(elapsed)
    }
  }
  server.close()
  fs.rmSync(folder, {recursive: true, force: true})
  const [bare] = targets
  const base = median(bare ? (times.get(bare) ?? []) : [])
  process.stdout.write(`start-up, median of ${rounds} runs, as ratios to bare Node ${process.version}\n`)
  let good = true
  for (const target of targets) {
    const ms = median(times.get(target) ?? [])
    const ratio = ms / base
    if (target !== bare && ratio > target.ratioMax) good = false
    const aim = target === bare ? '' : `  at most ${target.ratioMax}, reachable ${target.ratioReachable}`
    process.stdout.write(
      `${target.name.padEnd(28)}${ms.toFixed(1).padStart(7)} ms${ratio.toFixed(2).padStart(7)}${aim}\n`,
    )
  }
  return good
}

// The server runs in this process, so the wait for the child must not block it.
function timed({name, args}: Target, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    const child = spawn(process.execPath, args, {env, stdio: ['ignore', 'ignore', 'inherit']})
    child.on('close', (code) => {
      if (code === 0) resolve(performance.now() - started)
      else reject(new Error(`${name} ended with ${code}`))
    })
  })
}
