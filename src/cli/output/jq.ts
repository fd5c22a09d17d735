// Applies the jq expression of --jq to the data. Strings are printed without quotes, as `gh` and `jq -r` do.
import {type Jq, type JqResult, loadJq} from 'jq-wasm/inline'
import {badUsage} from '../../errors.ts'
import {parseJson} from '../../values/json.ts'
import {cleanText} from './clean.ts'
import {type Reshape, createReshapeError, toJson, toJsonLine} from './formats.ts'
import {getTraits} from './streams.ts'

// jq says `jq: error (at /dev/stdin:1): reason` and `jq: error: reason at <top-level>, line 1, column 2:`, with more lines below.
const errorStart = /^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /m
const place = / at <top-level>, line (\d+)(?:, column \d+)?:?$/

function describeFailure(messages: string, expression: string): string {
  const start = errorStart.exec(messages)
  const text = start ? messages.slice(start.index + start[0].length) : messages
  const [line = ''] = text.trim().split('\n', 1)
  const where = expression.includes('\n') ? ' in line $1' : ''
  return cleanText(line.replace(place, where)) || 'it ended without a reason'
}

// Line breaks and tabs are the expression's own layout, such as that of @tsv.
const cleanLines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.split('\t').map(cleanText).join('\t'))
    .join('\n')

// People see objects and lists indented, scripts get one line for each.
function renderOutput(line: string, isForPeople: boolean): string {
  const value = parseJson(line)
  if (typeof value === 'string') return `${cleanLines(value)}\n`
  return isForPeople && typeof value === 'object' ? toJson(value) : toJsonLine(value)
}

// While jq computes, no listener runs. Without listeners the system itself ends svc on Ctrl-C, also in an endless expression.
function runInterruptibly<T>(work: () => T): T {
  const signals = (['SIGINT', 'SIGTERM'] as const).map((name) => ({name, listeners: process.rawListeners(name)}))
  const {exitCode} = process
  for (const {name} of signals) process.removeAllListeners(name)
  try {
    return work()
  } finally {
    for (const {name, listeners} of signals) {
      for (const listener of listeners) process.on(name, listener as NodeJS.SignalsListener)
    }
    // jq-wasm sets it to the exit code of jq.
    process.exitCode = exitCode
  }
}

// `input` is any number of JSON values. Each is given to the expression on its own.
function runJq(jq: Jq, expression: string, input: string): JqResult {
  try {
    return runInterruptibly(() => jq.raw(input, expression, ['-c', '-M', '--']))
  } catch {
    // WebAssembly itself throws if jq needs more memory than there is.
    return {stdout: '', stderr: 'jq ran out of memory', exitCode: 1}
  }
}

export async function createReshape(expression: string, notice: (text: string) => void): Promise<Reshape> {
  const jq = await loadJq()
  const check = runJq(jq, expression, '')
  if (check.exitCode !== 0) {
    const reason = describeFailure(check.stderr, expression)
    throw badUsage(`--jq "${expression}" is not a jq expression: ${reason}`, 'Nothing was sent')
  }
  return (values) => {
    const run = runJq(jq, expression, values.map((value) => JSON.stringify(value)).join('\n'))
    const shown = run.stdout.split('\n').filter((line) => line !== '')
    const text = shown.map((line) => renderOutput(line, getTraits('stdout').isTTY === true)).join('')
    if (run.exitCode !== 0) return {text, failure: createReshapeError(describeFailure(run.stderr, expression))}
    // What `debug` and `stderr` print.
    if (run.stderr.trim() !== '') notice(run.stderr.trim())
    return {text}
  }
}
