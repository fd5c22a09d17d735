// What a list is filtered by here because the service cannot: the flags for it, and whether an item matches them.
import * as Flags from '@oclif/core/flags'
import {toInstantMs} from '../../validation/instants.ts'
import {badUsage} from '../../errors.ts'
import {parseDuration} from '../flags/durations.ts'

type Item = Readonly<Record<string, unknown>>

// How one kind of thing is filtered: by which of its fields, and by which values where all are known.
export interface Filters {
  status?: Choice
  type?: Choice
  since?: Time
}

interface Choice {
  // The field of the item, with dots where it stands deeper, such as trigger.type.
  field: string
  // All that there are. Without them any text is taken, since the interface does not list them in full.
  values?: readonly string[]
}

interface Time {
  field: string
  // Which things have no such time, where that is no fault of the service.
  absent?: string
}

export interface Filter {
  keep: (item: Item) => boolean | undefined
  // What the service cannot filter by, in words.
  by: readonly string[]
  // Which items cannot be judged, in words.
  undecided?: string | undefined
}

// Commas separate several, and a flag may be repeated. Case does not matter, since nobody means another value by it.
const choiceFlag = (what: string, name: string, {values}: Choice) =>
  Flags.custom<string[]>({
    summary: `Filter by ${what}; separate several with commas${values ? `: ${values.join(', ')}` : ''}`,
    env: `SVC_${name.toUpperCase()}`,
    helpValue: name.toUpperCase(),
    multiple: true,
    multipleNonGreedy: true,
    parse: async (text) => parseChoices(text, name, values),
  })()

function parseChoices(text: string, name: string, values: readonly string[] | undefined): string[] {
  const given = text.split(',').map((value) => value.trim().toUpperCase())
  const wrong = given.find((value) => value === '' || (values && !values.includes(value)))
  if (wrong === undefined) return given
  throw badUsage(
    wrong === '' ? `--${name} "${text}" lacks a value` : `There is no ${name} "${wrong}"`,
    values ? `Known are ${values.join(', ')}` : `Give one or several, such as --${name} ACTIVE,PENDING`,
  )
}

const daysMax = 36_500
const dayMs = 86_400_000

// A date, a timestamp, or how long ago. A bare number could be either, so it is none.
export function parseSince(text: string, nowMs: number): number {
  const instant = toInstantMs(text)
  if (instant !== undefined) return instant
  if (/^\d+(\.\d+)?(s|m|h|d)$/.test(text)) return nowMs - parseDuration(text, '--since', daysMax * dayMs)
  throw badUsage(
    `--since "${text}" is neither a time nor a duration`,
    'Write 2026-11-01 (midnight UTC), 2026-11-01T09:30:00Z, or how long ago: 7d, 12h, 30m',
  )
}

const sinceFlag = ({field}: Time) =>
  Flags.custom<number>({
    summary: `Only items whose ${field} is at or after this time: 2026-11-01 (UTC), a timestamp, or 7d, 12h ago`,
    env: 'SVC_SINCE',
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now()),
  })()

type ChoiceFlag = ReturnType<typeof choiceFlag>
type SinceFlag = ReturnType<typeof sinceFlag>

type FilterFlags<F extends Filters> = {
  [Name in keyof F & keyof Filters]: Name extends 'since' ? SinceFlag : ChoiceFlag
}

export function filterFlags<const F extends Filters>({status, type, since}: F): FilterFlags<F> {
  return {
    ...(status && {status: choiceFlag('status', 'status', status)}),
    ...(type && {type: choiceFlag('type', 'type', type)}),
    ...(since && {since: sinceFlag(since)}),
  } as FilterFlags<F>
}

interface FilterValues {
  // One list from each time that the flag was given; a variable gives its list alone.
  status?: ReadonlyArray<string[] | string> | undefined
  type?: ReadonlyArray<string[] | string> | undefined
  since?: number | undefined
}

const getField = (item: Item, field: string): unknown =>
  field.split('.').reduce<unknown>((value, name) => (value as Item | null | undefined)?.[name], item)

const upperCase = (value: unknown) => (typeof value === 'string' ? value.toUpperCase() : '')

// The filter that the flags ask for, or none.
export function buildFilter({status, type, since}: Filters, given: FilterValues): Filter | undefined {
  const tests: Array<Filter['keep']> = []
  const by: string[] = []
  for (const [name, choice] of [
    ['status', status],
    ['type', type],
  ] as const) {
    const wanted = new Set(given[name]?.flat())
    if (!choice || wanted.size === 0) continue
    by.push(name)
    tests.push((item) => wanted.has(upperCase(getField(item, choice.field))))
  }
  const sinceMs = given.since
  if (since && sinceMs !== undefined) {
    by.push('time')
    tests.push((item) => {
      const instant = toInstantMs(item[since.field])
      return instant === undefined ? undefined : instant >= sinceMs
    })
  }
  if (tests.length === 0) return undefined
  return {
    keep: (item) => matchItem(tests, item),
    by,
    undecided: since && `no ${since.field} that can be read${since.absent ? ` (${since.absent})` : ''}`,
  }
}

// The time is judged last: only what matches otherwise is missed when its time cannot be read.
function matchItem(tests: ReadonlyArray<Filter['keep']>, item: Item): boolean | undefined {
  for (const test of tests) {
    const verdict = test(item)
    if (verdict !== true) return verdict
  }
  return true
}
