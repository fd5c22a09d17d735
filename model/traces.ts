// Random runs of the model, made by Spin's simulator from a seed: the events of each, in their order.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {promisify} from 'node:util'
import {modelFile, readSettingNumbers} from './check.ts'

const run = promisify(execFile)
const stepsMax = 1_500

// Killed processes, lost and refused requests, a list that lags and fails.
const anyService = {
  CRASHES: 1,
  QUOTES_MAX: 7,
  REQUESTS_MAX: 3,
  KEYS: 7,
  QUOTES: 3,
  KNOWN: 3,
  QUOTE_LIFE: 1,
  LISTING_TIME: 1,
  LIST_LAG: 1,
  LIST_FAILS: 1,
  REFUSES: 1,
  QUOTES_AGAIN: 1,
}

// What is refused may have been made all the same, which the list shows at once.
const refusing = {...anyService, REFUSES_AFTER_COMMIT: 1, LIST_LAG: 0}

// One process, two processes with one journal, and two hosts at a service that honours keys.
export const payers = [
  {name: 'one process', settings: anyService},
  {name: 'one process, refused all the same', settings: refusing},
  {name: 'two processes', settings: {...anyService, TWO_PROCESSES: 1}},
  {name: 'two hosts', settings: {...anyService, TWO_HOSTS: 1, KEYS: 1}},
] as const

export interface Trace {
  seed: number
  events: readonly string[]
}

const settingsMax = 64

// The same seed gives the same trace.
export async function simulate(seed: number, settings: Readonly<Record<string, number>>): Promise<Trace> {
  const numbers = readSettingNumbers()
  const values = Array.from({length: settingsMax}, () => 0)
  for (const [name, value] of Object.entries(settings)) {
    const number = numbers.get(name)
    if (number === undefined) throw new Error(`the model has no setting ${name}`)
    values[number] = value
  }
  // Spin takes fewer definitions as options than the model has settings, and writes files to the folder in which it runs.
  const defined = ['#define SIMULATION', ...values.map((value, number) => `#define S${number} ${value}`)]
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-trace-'))
  try {
    const file = path.join(folder, 'simulated.pml')
    fs.writeFileSync(file, [...defined, fs.readFileSync(modelFile, 'utf8')].join('\n'))
    const {stdout} = await run('spin', [`-n${seed}`, `-u${stepsMax}`, '-T', file], {
      cwd: folder,
      maxBuffer: 64 * 1024 * 1024,
    })
    return {seed, events: stdout.split('\n').filter((line) => line.startsWith('@'))}
  } finally {
    fs.rmSync(folder, {recursive: true, force: true})
  }
}
