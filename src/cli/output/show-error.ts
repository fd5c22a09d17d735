// The one place where an error is shown: a sentence for people, a line of JSON for scripts, and the exit code.
import {type ExitCode, SvcError} from '../../errors.ts'
import {cleanText} from './clean.ts'
import {createPainter} from './colour.ts'
import {toJsonLine} from './formats.ts'
import {describeUnexpectedArguments, describeUnknownFlags} from '../help/unknown-words.ts'
import {writeErr, writeErrUncleaned} from './streams.ts'

interface OclifError extends Error {
  args?: unknown
  flags?: unknown
  parse?: {input?: {flags?: object}}
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')

// oclif's own refusals are bad usage like ours, said in our words where they are a table, a lecture, or repeat too much.
function convertOclifError(error: OclifError, commandLine: string): SvcError {
  const {message, hint} = describeOclifError(error, commandLine)
  // With SVC_DEBUG the stack is shown, which repeats the message.
  if (error.stack) error.stack = error.stack.replace(error.message, message)
  return new SvcError({
    error: 'BAD_USAGE',
    kind: 'usage',
    message: message.replace(/[:.]+$/, ''),
    hint: hint ?? `See \`${commandLine} --help\``,
    cause: error,
  })
}

function describeOclifError(error: OclifError, commandLine: string): {message: string; hint?: string} {
  const {args, flags, parse} = error
  if (isStringArray(flags)) return describeUnknownFlags(flags, Object.keys(parse?.input?.flags ?? {}), commandLine)
  if (isStringArray(args)) return describeUnexpectedArguments(args, commandLine)
  if (Array.isArray(args) && error.message.startsWith('Missing'))
    return {message: `Missing ${args.map(({name}: {name: string}) => name.toUpperCase()).join(' and ')}`}
  const lines = error.message.split('\n').map((line) => line.trim())
  const said = lines.filter((line) => line !== '' && !/^(See more help with|The following errors? occurred)/.test(line))
  return {message: said.join('; ')}
}

// What the sandbox refuses to whoever runs it. It is known by its name, since loading its class would load the sandbox.
function convertSandboxError(error: Error): SvcError {
  const isMissing = 'notFound' in error && error.notFound === true
  return new SvcError({
    error: isMissing ? 'NOT_FOUND' : 'BAD_USAGE',
    kind: isMissing ? 'notFound' : 'usage',
    message: error.message,
    cause: error,
  })
}

// oclif wraps the message of what a flag's parser throws in words of its own.
const unwrapped = (message: string) =>
  message.replace(/^Parsing --\S+ \n\t/, '').replace(/\nSee more help with --help$/, '')

function toSvcError(error: unknown, commandLine: string): SvcError {
  if (error instanceof SvcError) {
    error.message = unwrapped(error.message)
    return error
  }
  if (error instanceof Error && error.name === 'ExitPromptError') {
    return new SvcError({
      error: 'INTERRUPTED',
      kind: 'interrupted',
      message: 'Interrupted; nothing was sent',
    })
  }
  if (error instanceof Error && error.name === 'ControlRefused') return convertSandboxError(error)
  if (error instanceof Error && 'oclif' in error) return convertOclifError(error, commandLine)
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new SvcError({
    error: 'FAULT',
    kind: 'bug',
    message: `svc failed in a way it should not have (${detail})`,
    hint: 'Run it again with SVC_DEBUG=1 for the details, and report them',
    cause: error,
  })
}

const toSentence = (text: string) => (/[.!?…]$/.test(text) ? text : `${text}.`)

export async function showError(thrown: unknown, isJson: boolean, commandLine: string): Promise<ExitCode> {
  const {error, message, hint, statusCode, problems, exitCode, cause} = toSvcError(thrown, commandLine)
  if (isJson) {
    const line = {
      error,
      message: toSentence(message),
      ...(statusCode && {statusCode}),
      ...(hint && {hint: toSentence(hint)}),
      ...(problems && {problems}),
      exitCode,
    }
    writeErr(toJsonLine(line))
  } else {
    const painter = await createPainter(process.stderr)
    const said = [message, hint].filter((part) => part !== undefined).map((part) => toSentence(cleanText(part)))
    const listed = (problems ?? []).map((problem) => `  ${cleanText(problem)}\n`).join('')
    writeErrUncleaned(`${painter.alarm('svc:')} ${said.join(' ')}\n${listed}`)
  }
  if (process.env['SVC_DEBUG']) writeErr(`${getStack(cause ?? thrown)}\n`)
  return exitCode
}

const getStack = (cause: unknown) => (cause instanceof Error ? (cause.stack ?? cause.message) : String(cause))
