// Makes the flags and arguments of a command from the fields of its operation.
import type {Interfaces} from '@oclif/core'
import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'
import {numberFlag} from '../cli/flags/shared.ts'
import {badUsage} from '../errors.ts'
import type {Operation} from '../sandbox/operations/define.ts'
import type {Field} from '../sandbox/operations/fields.ts'
import {parseDuration} from '../values/time.ts'

// A field of an operation, and its name on the command line: `allowRemote` is --allow-remote.
export interface NamedField {
  field: string
  name: string
  definition: Field
}

export const listFlagFields = ({input = {}}: Pick<Operation<never, unknown>, 'input'>): NamedField[] =>
  Object.entries(input)
    .filter(([, {isForPrograms}]) => !isForPrograms)
    .map(([field, definition]) => ({
      field,
      name: definition.flag ?? field.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      definition,
    }))

type Parse<T> = (text: string, context: unknown, options: {name: string}) => Promise<T>

const secondsPattern = /^(-?\d{1,7})(s|m|h)?$/
const secondsPerUnit: Readonly<Record<string, number>> = {s: 1, m: 60, h: 3600}

// Accepts 0, and a minus sign if the seconds can be negative, neither of which parseDuration does.
const secondsParser =
  ({min = 0}: Field): Parse<number> =>
  async (text, _, {name}) => {
    const [, number, unit = 's'] = secondsPattern.exec(text) ?? []
    const seconds = Number(number) * (secondsPerUnit[unit] ?? 1)
    if (number !== undefined && seconds >= min) return seconds
    const example = min < 0 ? '90s, -5m or 0' : '30s, 5m or 0'
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

const helpValues: Partial<Record<Field['type'], string>> = {
  amount: 'AMOUNT',
  time: 'TIME',
  duration: 'DURATION',
  milliseconds: 'DURATION',
  seconds: 'DURATION',
}

function createFlag(field: Field) {
  const {type, says, choices = [], finds, min = 0, max = Number.MAX_SAFE_INTEGER} = field
  const helpValue = finds === 'customer' ? 'ID|EMAIL' : finds ? 'ID' : helpValues[type]
  const details = {summary: says, ...(helpValue !== undefined && {helpValue})}
  const readNumber = (parse: Parse<number>) => Flags.custom<number>({...details, parse})()
  const readText = (parse: Parse<string>) => Flags.custom({...details, parse})()
  switch (type) {
    case 'boolean':
      return Flags.boolean(details)
    case 'choice':
      return Flags.option({...details, options: [...choices]})()
    case 'texts':
      return Flags.string({...details, multiple: true, multipleNonGreedy: true})
    case 'count':
      return numberFlag(says, min, max)
    case 'share':
      return readNumber(parseShare)
    case 'seconds':
      return readNumber(secondsParser(field))
    case 'milliseconds':
      return readNumber(async (text, _, {name}) => parseDuration(text, `--${name}`, field.max))
    case 'duration':
      return readText(async (text, _, {name}) => {
        parseDuration(text, `--${name}`, field.max)
        return text
      })
    case 'time':
      return readText(parseTime)
    case 'idempotency':
      return readText(parseIdempotency)
    default:
      return Flags.string(details)
  }
}

// A person is asked for what can be found.
const createArgument = ({says, type, max, isRequired, finds}: Field) =>
  Args.string({
    description: says,
    ...(isRequired && !finds && {required: true}),
    parse: async (text, _, {name}) => {
      if (type === 'duration') parseDuration(text, name.toUpperCase(), max)
      return text
    },
  })

export const createArguments = (fields: readonly NamedField[]): Interfaces.ArgInput =>
  Object.fromEntries(
    fields
      .filter(({definition}) => definition.isArgument)
      .map(({name, definition}) => [name, createArgument(definition)]),
  )

export const createFlags = (fields: readonly NamedField[]): Interfaces.FlagInput =>
  Object.fromEntries(
    fields.filter(({definition}) => !definition.isArgument).map(({name, definition}) => [name, createFlag(definition)]),
  )
