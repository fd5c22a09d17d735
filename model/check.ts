// Checks the model of the payment protocol with Spin, and prints what it found for each configuration:
// node model/check.ts [--long] [--only TEXT] [--json]
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {parseArgs, promisify} from 'node:util'
import {type Configuration, type Invariant, groups, invariants} from './configurations.ts'

const run = promisify(execFile)
export const modelFile = path.join(import.meta.dirname, 'payments.pml')
const outputMax = 64 * 1024 * 1024

// Settings have their numbers in the model: #define RUNS setting(4).
export function readSettingNumbers(): Map<string, number> {
  const text = fs.readFileSync(modelFile, 'utf8')
  return new Map(
    [...text.matchAll(/^#define (\w+) +setting\((\d+)\)/gm)].map(([, name = '', number]) => [name, Number(number)]),
  )
}

export interface Verdict {
  configuration: Configuration
  // The invariant that was violated; undefined if all hold.
  violated: Invariant | 'deadlock' | 'search incomplete' | undefined
  isAsExpected: boolean
  states: number
  seconds: number
  megabytes: number
}

export interface Checker {
  check: (configuration: Configuration) => Promise<Verdict>
  close: () => void
}

// The compiler takes ten times as long to make a checker that is three times as fast.
const compileOptions = {quick: '-O0', long: '-O2'}

// Makes one program for all configurations.
export async function buildChecker(speed: keyof typeof compileOptions): Promise<Checker> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-model-'))
  await run('spin', ['-a', modelFile], {cwd: folder})
  const options = ['-w', '-DSAFETY', '-DNOFAIR', '-DVECTORSZ=1024', ...(speed === 'long' ? ['-DCOLLAPSE'] : [])]
  await run('gcc', [compileOptions[speed], ...options, '-o', 'pan', 'pan.c'], {cwd: folder})
  const numbers = readSettingNumbers()
  return {
    check: (configuration) => checkOne(folder, numbers, configuration),
    close: () => fs.rmSync(folder, {recursive: true, force: true}),
  }
}

const readNumber = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN)

function readViolation(output: string): Verdict['violated'] {
  if (output.includes('invalid end state (')) return 'deadlock'
  const assertion = /assertion violated (.*)/.exec(output)?.[1]
  if (assertion === undefined)
    return /error: max search depth|Search not completed|out of memory/.test(output) ? 'search incomplete' : undefined
  const found = Object.entries(invariants).find(([, pattern]) => pattern.test(assertion))
  if (!found) throw new Error(`no invariant is known for ${assertion}`)
  return found[0] as Invariant
}

const writeSettings = (numbers: Map<string, number>, settings: Configuration['settings']): string =>
  Object.entries(settings)
    .map(([name, value]) => {
      const number = numbers.get(name)
      if (number === undefined) throw new Error(`the model has no setting ${name}`)
      return `${number}=${value}`
    })
    .join(',')

async function checkOne(folder: string, numbers: Map<string, number>, configuration: Configuration): Promise<Verdict> {
  const own = fs.mkdtempSync(path.join(folder, 'run-'))
  const started = performance.now()
  const env = {...process.env, SVC_MODEL: writeSettings(numbers, configuration.settings)}
  const {stdout} = await run(path.join(folder, 'pan'), ['-m200000', '-w20', '-n'], {
    cwd: own,
    env,
    maxBuffer: outputMax,
  })
  const violated = readViolation(stdout)
  return {
    configuration,
    violated,
    isAsExpected: violated === configuration.violates,
    states: readNumber(stdout, /^\s*([\d.e+]+) states, stored/m),
    seconds: (performance.now() - started) / 1000,
    megabytes: readNumber(stdout, /([\d.]+)\s+total actual memory usage/),
  }
}

// Two at a time, in the order of the list.
export async function checkAll(
  checker: Checker,
  configurations: readonly Configuration[],
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = []
  const queue = [...configurations]
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const verdict = await checker.check(next)
      verdicts.push(verdict)
      onVerdict(verdict)
    }
  }
  await Promise.all([work(), work()])
  return verdicts
}

const formatVerdict = ({
  configuration: {name, violates},
  violated,
  isAsExpected,
  states,
  seconds,
  megabytes,
}: Verdict) =>
  [
    name.padEnd(50),
    (violates ?? 'holds').padEnd(30),
    (isAsExpected ? 'yes' : `NO: ${violated ?? 'holds'}`).padEnd(34),
    String(states).padStart(9),
    `${seconds.toFixed(1)} s`.padStart(8),
    `${megabytes.toFixed(0)} MB`.padStart(8),
  ].join(' ')

if (import.meta.main) {
  const {values} = parseArgs({options: {long: {type: 'boolean', default: false}, only: {type: 'string', default: ''}}})
  const checker = await buildChecker(values.long ? 'long' : 'quick')
  let isWell = true
  for (const [title, configurations] of Object.entries(groups)) {
    const chosen = configurations.filter(({name, isLong}) => (values.long || !isLong) && name.includes(values.only))
    process.stdout.write(`\n${title}\n`)
    const verdicts = await checkAll(checker, chosen, (verdict) => process.stdout.write(`${formatVerdict(verdict)}\n`))
    isWell &&= verdicts.every(({isAsExpected}) => isAsExpected)
  }
  checker.close()
  process.exitCode = isWell ? 0 : 1
}
