// Applies the jq expression of --jq to the data. Strings are printed without quotes, as `gh` and `jq -r` do.
import {badUsage} from '../../errors.ts'
import {parseJson} from '../../values/json.ts'
import {cleanText} from './clean.ts'
import {toJson, toJsonLine} from './formats.ts'
import {loadJq, runJq} from './jq-engine.ts'
import {getTraits} from './outputs.ts'
import {type Reshaped, type Reshaper, createReshapeError} from './reshape.ts'

// jq says `jq: error (at <stdin>:1): reason` and `jq: error: reason at <top-level>, line 1:`, with more lines below.
const errorStart = /^jq: error(?: \(at [^)]*\))?(?: \(not a string\))?: /m
const shellAdvice = / ?\(Unix shell quoting issues\?\)/
const place = / at <top-level>, line (\d+):?$/

function describeFailure(messages: string, expression: string): string {
  const start = errorStart.exec(messages)
  const text = start ? messages.slice(start.index + start[0].length) : messages
  const [line = ''] = text.trim().split('\n', 1)
  const where = expression.includes('\n') ? ' in line $1' : ''
  return cleanText(line.replace(shellAdvice, '').replace(place, where)) || 'it ended without a reason'
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

export async function createJqReshaper(expression: string, notice: (text: string) => void): Promise<Reshaper> {
  await loadJq()
  const {failure, messages} = runJq(expression, '')
  if (failure) {
    const reason = describeFailure(messages, expression)
    throw badUsage(`--jq "${expression}" is not a jq expression: ${reason}`, 'Nothing was sent')
  }
  return {
    reshape(values, lines): Reshaped {
      const input = lines ?? values.map((value) => JSON.stringify(value)).join('\n')
      const run = runJq(expression, input)
      const shown = run.output.split('\n').filter((line) => line !== '')
      const text = shown.map((line) => renderOutput(line, getTraits('stdout').isTTY === true)).join('')
      if (run.failure) return {text, failure: createReshapeError('--jq', describeFailure(run.messages, expression))}
      // What `debug` and `stderr` print.
      if (run.messages.trim() !== '') notice(run.messages.trim())
      return {text}
    },
  }
}
