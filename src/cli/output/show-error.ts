// The only place that prints an error: a sentence in a terminal, a line of JSON for scripts. It returns the exit code.
import {type ExitCode, SvcError, badUsage} from '../../errors.ts'
import {endSentence} from '../../values/text.ts'
import {cleanText} from './clean.ts'
import {createPainter} from './colour.ts'
import {toJson, toJsonLine} from './formats.ts'
import {createUnexpectedArguments, createUnknownFlags} from '../help/unknown-words.ts'
import {getErrorWidth, getTraits, wrapMessage, writeErr, writeErrUncleaned} from './streams.ts'

// What the subclasses of oclif's CLIParseError carry.
interface OclifError extends Error {
  args?: unknown
  flags?: unknown
  parse?: {input?: {flags?: object}}
}

const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')

const isArgumentList = (value: unknown): value is Array<{name: string}> =>
  Array.isArray(value) && value.every((argument) => typeof argument === 'object' && 'name' in argument)

// oclif's error is not kept as the cause: its stack repeats the command line, which may contain a secret.
function convertOclifError({args, flags, parse, message}: OclifError, commandLine: string): SvcError {
  if (isStringArray(flags)) return createUnknownFlags(flags, Object.keys(parse?.input?.flags ?? {}), commandLine)
  if (isStringArray(args)) return createUnexpectedArguments(args, commandLine)
  const lines = message.split('\n').map((line) => line.trim())
  const reasons = lines.filter((line) => line !== '' && !oclifFrame.has(line))
  const reason = isArgumentList(args)
    ? `Missing ${args.map(({name}) => name.toUpperCase()).join(' and ')}`
    : reasons.map((line) => line.replace(/^Missing required flag (?=\w)/, 'Missing --')).join('; ')
  return badUsage(reason, `See \`${commandLine} --help\``)
}

// Lines that oclif puts around the reason.
const oclifFrame = new Set([
  'See more help with --help',
  'The following error occurred:',
  'The following errors occurred:',
])

// An error of the sandbox's controls. It is recognised by name, because importing its class would load the sandbox.
function convertSandboxError(error: Error): SvcError {
  const isMissing = 'notFound' in error && error.notFound === true
  return new SvcError({
    error: isMissing ? 'NOT_FOUND' : 'BAD_USAGE',
    kind: isMissing ? 'notFound' : 'usage',
    message: error.message,
    cause: error,
  })
}

export function toSvcError(error: unknown, commandLine: string): SvcError {
  if (error instanceof SvcError) return error
  if (error instanceof Error && error.name === 'ExitPromptError') {
    return new SvcError({error: 'INTERRUPTED', kind: 'interrupted', message: 'Interrupted; nothing was sent'})
  }
  if (error instanceof Error && error.name === 'ControlError') return convertSandboxError(error)
  if (error instanceof Error && 'oclif' in error) return convertOclifError(error, commandLine)
  const detail = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return new SvcError({
    error: 'FAULT',
    kind: 'bug',
    message: `svc failed unexpectedly (${detail})`,
    hint: 'This is a bug in svc: run it again with SVC_DEBUG=1 and report the details',
    cause: error,
  })
}

export async function showError(thrown: unknown, isJson: boolean, commandLine: string): Promise<ExitCode> {
  const shown = toSvcError(thrown, commandLine)
  const {error, sentence, hint, statusCode, problems, body, exitCode} = shown
  if (isJson) {
    const line = {
      error,
      message: endSentence(sentence),
      ...(statusCode && {statusCode}),
      ...(hint && {hint: endSentence(hint)}),
      ...(problems && {problems}),
      ...(body !== undefined && {body}),
      exitCode,
    }
    writeErr(toJsonLine(line))
  } else {
    const painter = await createPainter(getTraits('stderr'))
    const sentences = [sentence, hint].filter((part) => part !== undefined).map((part) => endSentence(cleanText(part)))
    const lines = [`svc: ${sentences.join(' ')}`, ...(problems ?? []).map((problem) => `  ${cleanText(problem)}`)]
    const [first = '', ...more] = lines.map((line) => `${wrapMessage(line, getErrorWidth())}\n`)
    writeErrUncleaned(first.replace(/^svc:/, () => painter.alarm('svc:')) + more.join(''))
    if (body !== undefined) writeErr(typeof body === 'string' ? `${body.trimEnd()}\n` : toJson(body))
  }
  if (process.env['SVC_DEBUG']) writeErr(`${getStack(shown.cause ?? shown)}\n`)
  return exitCode
}

const getStack = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error))
