// Makes the flags and arguments of a command from the fields of its operation.
import type {Interfaces} from '@oclif/core'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {parseDurationFlag, wholeNumberParser} from '../cli/flags/shared.ts'
import {badUsage} from '../errors.ts'
import type {Field, NamedField} from '../sandbox/operations/fields.ts'
import {parseDuration} from '../values/time.ts'

type Parse<T> = (text: string, context: unknown, options: {name: string}) => Promise<T>

const secondsPattern = /^(-?\d{1,7})(s|m|h)?$/
const secondsPerUnit: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600}

// Accepts 0, and a minus sign if the seconds can be negative, neither of which parseDuration does.
const secondsParser =
  (isSigned = false): Parse<number> =>
  async (text, _, {name}) => {
    const [, number, unit = 's'] = secondsPattern.exec(text) ?? []
    const seconds = Number(number) * (secondsPerUnit[unit] ?? 1)
    if (number !== undefined && (isSigned || !text.startsWith('-'))) return seconds
    const example = isSigned ? '90s, -5m or 0' : '30s, 5m or 0'
    throw badUsage(`--${name} "${text}" is not a duration in whole seconds`, `Write ${example}`)
  }

const parseShare: Parse<number> = async (text, _, {name}) => {
  const value = Number(text)
  if (/^\d*\.?\d+$/.test(text) && value > 0 && value <= 1) return value
  throw badUsage(`--${name} "${text}" is not a number above 0 and up to 1`, 'Write it as 0.3')
}

const parseIdempotency: Parse<string> = async (text, _, {name}) => {
  const [{idempotencyPattern}, {idempotencyWords}] = await Promise.all([
    import('../sandbox/service/faults/behaviours.ts'),
    import('../sandbox/service/faults/behaviour-table.ts'),
  ])
  if (idempotencyPattern.test(text)) return text
  throw badUsage(
    `--${name} "${text}" is none of ${idempotencyWords.join(', ')}`,
    'forget-after-Nm takes a number of minutes, such as forget-after-30m',
  )
}

const parseTime: Parse<string> = async (text, _, {name}) => {
  const date = new Date(text)
  if (Number.isNaN(date.getTime()))
    throw badUsage(`--${name} "${text}" is not a time`, 'Write it as 2030-01-01T00:00:00Z')
  return date.toISOString()
}

// A duration as it is written, if it is one.
const durationParser =
  (msMax: number | undefined): Parse<string> =>
  async (text, _, {name}) => {
    parseDuration(text, `--${name}`, msMax)
    return text
  }

function createFlag(field: Field) {
  const {type, summary = '', choices = [], aliases = {}} = field
  const helpValue = field.helpValue ?? (type === 'seconds' ? 'DURATION' : undefined)
  const details = {
    summary,
    ...(helpValue !== undefined && {helpValue}),
  }
  const readNumber = (parse: Parse<number>) => Flags.custom<number>({...details, parse})()
  const readText = (parse: Parse<string>) => Flags.custom({...details, parse})()
  const {flagMin: min = field.min ?? 0, flagMax: max = field.max ?? Number.MAX_SAFE_INTEGER} = field
  switch (type) {
    case 'boolean':
      return Flags.boolean(details)
    case 'choice':
      return Flags.option({...details, options: [...choices, ...Object.keys(aliases)]})()
    case 'texts':
      return Flags.string({...details, multiple: true, multipleNonGreedy: true})
    case 'count':
      return readNumber(wholeNumberParser(min, max))
    case 'share':
      return readNumber(parseShare)
    case 'seconds':
      return readNumber(secondsParser(field.isSigned))
    case 'milliseconds':
      return readNumber(parseDurationFlag)
    case 'duration':
      return readText(durationParser(field.flagMax ?? field.max))
    case 'time':
      return readText(parseTime)
    case 'idempotency':
      return readText(parseIdempotency)
    default:
      return Flags.string(details)
  }
}

function createArgument({summary = '', type, flagMax, isFlagRequired}: Field) {
  const details = {description: summary, ...(isFlagRequired && {required: true})}
  if (type !== 'duration') return Args.string(details)
  return Args.string({
    ...details,
    parse: async (text, _, {name}) => {
      parseDuration(text, name.toUpperCase(), flagMax)
      return text
    },
  })
}

export const createArguments = (fields: readonly NamedField[]): Interfaces.ArgInput =>
  Object.fromEntries(
    fields
      .filter(({definition}) => definition.isArgument)
      .map(({name, definition}) => [name, createArgument(definition)]),
  )

export const createFlags = (fields: readonly NamedField[]): Interfaces.FlagInput =>
  Object.fromEntries(
    fields
      .filter(({definition}) => !definition.isArgument)
      .map(({name, definition}) => [
        name,
        {...createFlag(definition), ...(definition.isFlagRequired && {required: true})},
      ]),
  )
