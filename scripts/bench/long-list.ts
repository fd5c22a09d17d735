// Measures a list of 100,000 transactions as JSON lines: its time relative to a bare loop over the same pages, and
// its memory.
import {type ChildProcess, spawn} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {openSandbox} from '../../src/sandbox/sandbox.ts'
import {root} from '../surface.ts'

const rounds = 7
const transactions = 100_000
const pages = transactions / 100

// The targets of the project.
const ratioMax = 1.3
const memoryMegabytesMax = 150

const kilobytesPerMegabyte = 1024
const here = (file: string) => path.join(root, 'scripts/bench', file)
const write = (text: string) => process.stdout.write(`${text}\n`)
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

interface Service {
  name: string
  url: string
  apiKey: string
  process: ChildProcess
}

// Starts a server process, which prints its address in its first line.
async function serviceOf(name: string, args: readonly string[], apiKey: string): Promise<Service> {
  const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'inherit']})
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      if (text.includes('\n')) resolve((JSON.parse(text.split('\n', 1)[0] ?? '') as {url: string}).url)
    })
    child.on('close', (code) => reject(new Error(`${name} ended with ${code}`)))
  })
  return {name, url, apiKey, process: child}
}

async function sandboxOf(folder: string): Promise<Service> {
  const file = path.join(folder, 'sandbox.sqlite')
  const sandbox = openSandbox({file})
  const {apiKey} = sandbox
  sandbox.money.seedTransactions(transactions)
  sandbox.close()
  const args = ['sandbox', 'start', '--port', '0', '--data', file, '--json', '--quiet']
  return serviceOf('the sandbox', [path.join(root, 'bin/run.js'), ...args], apiKey)
}

interface Run {
  ms: number
  megabytes: number
}

function timed(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Run> {
  return new Promise((resolve, reject) => {
    const startedMs = performance.now()
    const child = spawn(process.execPath, ['--import', here('tell-memory.mjs'), ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    })
    let told = ''
    child.stdio[3]?.on('data', (chunk: Buffer) => (told += chunk.toString()))
    child.on('close', (code) => {
      if (code === 0) resolve({ms: performance.now() - startedMs, megabytes: Number(told) / kilobytesPerMegabyte})
      else reject(new Error(`${args.join(' ')} ended with ${code}`))
    })
  })
}

// Measured alternately, so that noise of the machine affects all of them.
async function compare({name, url, apiKey}: Service, folder: string): Promise<{ratio: number; megabytes: number}> {
  const {NODE_EXTRA_CA_CERTS: _, ...inherited} = process.env
  const env = {...inherited, HOME: folder, SVC_CACHE_DIR: folder, SVC_BASE_URL: url, SVC_API_KEY: apiKey}
  const runners = {
    // First finds the next token in the text only; then parses the page as JSON, as a client has to.
    looking: () => timed([here('bare-reader.mjs'), url, 'look', apiKey], env),
    reading: () => timed([here('bare-reader.mjs'), url, 'parse', apiKey], env),
    svc: () => timed([path.join(root, 'bin/run.js'), 'transactions', 'list', '--all', '-o', 'jsonl'], env),
  }
  const runs: Record<keyof typeof runners, Run[]> = {looking: [], reading: [], svc: []}
  for (let round = -1; round < rounds; round++) {
    for (const who of Object.keys(runners) as Array<keyof typeof runners>) {
      const run = await runners[who]()
      if (round >= 0) runs[who].push(run)
    }
  }
  const ms = (who: keyof typeof runners) => median(runs[who].map((run) => run.ms))
  const ratio = median(runs.svc.map((run, round) => run.ms / (runs.reading[round]?.ms ?? Number.NaN)))
  const megabytes = Math.max(...runs.svc.map((run) => run.megabytes))
  const times = `bare ${ms('reading').toFixed(0)} ms (${ms('looking').toFixed(0)} without reading JSON), svc ${ms('svc').toFixed(0)} ms`
  write(`${name.padEnd(14)}${times}`)
  write(
    `${''.padEnd(14)}${ratio.toFixed(2)} of bare  at most ${ratioMax}; ${megabytes.toFixed(0)} MB  at most ${memoryMegabytesMax}`,
  )
  return {ratio, megabytes}
}

export async function benchLongList(): Promise<boolean> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bench-'))
  write(`\n${transactions} transactions as JSON lines, median of ${rounds} rounds`)
  let good = true
  for (const start of [
    () => serviceOf('ready pages', [here('page-service.ts'), String(pages)], 'bench'),
    () => sandboxOf(folder),
  ]) {
    const service = await start()
    const {ratio, megabytes} = await compare(service, folder)
    service.process.kill()
    if (ratio > ratioMax || megabytes > memoryMegabytesMax) good = false
  }
  fs.rmSync(folder, {recursive: true, force: true})
  return good
}
