// Filters lists by what the service cannot filter by: the flags, and the check of each item.
import * as Flags from '@oclif/core/flags'
import {dayMs, parseDuration, toInstantMs} from '../../values/time.ts'
import {badUsage} from '../../errors.ts'
import type {ItemFilter} from '../../client/paging.ts'
import {getValue} from '../../values/body-paths.ts'
import {foldCase, hasWords} from '../../values/text.ts'
import {toText} from './view.ts'

type ListItem = Parameters<ItemFilter>[0]

// Which fields of an entity can be filtered by.
export interface Filters {
  status?: Choice
  type?: Choice
  since?: Time
  search?: Search
}

interface Search {
  // The fields that have the text, as people call them, and as the interface does.
  names: string
  fields: readonly string[]
  // Text that the item itself does not have, such as a name.
  readMore?: ((item: ListItem) => string) | undefined
}

interface Choice {
  // The path of the field, such as trigger.type.
  field: string
  // All possible values. Without them any text is accepted, because the interface does not list them all.
  values?: readonly string[]
  // The values that the interface shows, if others are accepted too.
  seen?: readonly string[]
}

interface Time {
  field: string
  // Which items have no such time, if that is normal.
  absent?: string
}

export interface Filter {
  matches: ItemFilter
  // What is filtered by, for the notice.
  by: readonly string[]
  // What was not searched, for the notice that nothing matches.
  notSearched?: string | undefined
  // Which items could not be decided, for the notice.
  undecided?: string | undefined
}

export const wholeWordsFlag = Flags.boolean({
  summary: 'Let --search find whole words only; an email is one word',
})

// Completion offers the values. oclif does not check them, since the flag takes several, or other
// spellings.
export const offerValues = <F extends object>(flag: F, values: readonly string[] | undefined): F =>
  Object.assign(flag, {values})

// Accepts several values with commas, can be repeated, and ignores case. Words may be joined by dashes or spaces.
const choiceFlag = (name: string, {values}: Choice) =>
  Flags.custom<string[]>({
    summary: `Filter by ${name}; separate several with commas${values ? `: ${values.join(', ')}` : ''}`,
    helpValue: name.toUpperCase(),
    multiple: true,
    multipleNonGreedy: true,
    parse: async (text) => {
      const typed = text.split(',')
      const choices = typed.map((value) =>
        value
          .trim()
          .toUpperCase()
          .replaceAll(/[\s-]+/g, '_'),
      )
      const wrong = choices.findIndex((value) => value === '' || values?.includes(value) === false)
      if (wrong === -1) return choices
      throw badUsage(
        `There is no ${name} "${typed[wrong]}"`,
        values ? `Known values are ${values.join(', ')}` : `Give one or more, such as --${name} ACTIVE,PENDING`,
      )
    },
  })()

const daysMax = 36_500

// A day of UTC, a timestamp, or how long ago. A plain number is rejected, because it could mean either.
export function parseSince(text: string, nowMs: number, flag = '--since'): number {
  const instant = toInstantMs(text)
  if (instant !== undefined) return instant
  if (/^\d+(\.\d+)?(s|m|h|d)$/.test(text)) return nowMs - parseDuration(text, flag, daysMax * dayMs)
  throw badUsage(
    `${flag} "${text}" is neither a time nor a duration`,
    'Write 2026-11-01 (midnight UTC), 2026-11-01T09:30:00Z, or how long ago: 7d, 12h, 30m',
  )
}

const timeFlag = (name: 'since' | 'until', summary: string) =>
  Flags.custom<number>({
    summary,
    helpValue: 'WHEN',
    parse: async (text) => parseSince(text, Date.now(), `--${name}`),
  })()

// Every --since reads a time alike. Without one, a command may have a time of its own, written likewise.
export const sinceFlag = (what: string, without?: string) =>
  timeFlag('since', `${what}: 2026-11-01 (a day of UTC), a timestamp, or 7d, 12h ago${without ? ` (${without})` : ''}`)

export const untilFlag = (what: string) => timeFlag('until', what)

export const periodFlags = (what: string) => ({
  since: sinceFlag(`Only ${what} at or after this time`),
  until: untilFlag(`Only ${what} before this time, written likewise`),
})

// The service cannot search, so every item is read.
const searchFlag = ({names}: Search) =>
  Flags.string({
    summary: `Only items with this text in their ${names}; capitals and accents do not count`,
    helpValue: 'TEXT',
    parse: async (text) => {
      if (text.trim() !== '') return text
      throw badUsage('--search is empty', 'Give a part of what to search for; nothing was sent')
    },
  })

type FilterFlags<F extends Filters> = {
  [Name in Exclude<keyof F & keyof Filters, 'since'>]: ReturnType<
    Name extends 'search' ? typeof searchFlag : typeof choiceFlag
  >
} & (F extends {since: Time} ? ReturnType<typeof periodFlags> : unknown)

export function filterFlags<const F extends Filters>({status, type, since, search}: F): FilterFlags<F> {
  return {
    ...(status && {status: offerValues(choiceFlag('status', status), status.values ?? status.seen)}),
    ...(type && {type: offerValues(choiceFlag('type', type), type.values)}),
    ...(since && periodFlags(`items whose ${since.field} is`)),
    ...(search && {search: searchFlag(search)}),
  } as FilterFlags<F>
}

interface FilterValues {
  since?: number | undefined
  until?: number | undefined
  // One list per use of the flag, though oclif's types say that it is a single one.
  status?: ReadonlyArray<string[] | string> | undefined
  type?: ReadonlyArray<string[] | string> | undefined
  search?: string | undefined
  'whole-words'?: boolean | undefined
}

// Returns undefined if no filter flag is set.
export function buildFilter({status, type, since, search}: Filters, flags: FilterValues): Filter | undefined {
  const tests: ItemFilter[] = []
  const by: string[] = []
  for (const [name, choice] of [
    ['status', status],
    ['type', type],
  ] as const) {
    const wanted = new Set(flags[name]?.flat())
    if (!choice || wanted.size === 0) continue
    by.push(name)
    tests.push((item) => wanted.has(toText(getValue(item, choice.field)).toUpperCase()))
  }
  const words = flags.search
  if (search && words !== undefined) {
    by.push('text')
    const isFound = flags['whole-words'] ? hasWholeWords : hasWords
    tests.push((item) => {
      const texts = search.fields.map((field) => toText(getValue(item, field)))
      return isFound([...texts, search.readMore?.(item) ?? ''].join('\n'), words)
    })
  }
  const {since: sinceMs, until: untilMs} = flags
  if (since && (sinceMs !== undefined || untilMs !== undefined)) {
    by.push('time')
    tests.push((item) => {
      const instant = toInstantMs(item[since.field])
      return instant === undefined ? undefined : instant >= (sinceMs ?? instant) && instant < (untilMs ?? Infinity)
    })
  }
  if (tests.length === 0) return undefined
  return {
    // The time is checked last, so that an item counts as undecided only if everything else matches.
    matches: (item) => {
      for (const test of tests) {
        const isMatch = test(item)
        if (isMatch !== true) return isMatch
      }
      return true
    },
    by,
    undecided: since && `no ${since.field} that can be read${since.absent ? ` (${since.absent})` : ''}`,
  }
}

// As hasWords, but the text must have each word as a whole. An email is one word.
function hasWholeWords(text: string, term: string): boolean {
  const toWords = (written: string) =>
    foldCase(written)
      .split(/[\s,;]+/)
      .filter(Boolean)
  const words = new Set(toWords(text))
  return toWords(term).every((word) => words.has(word))
}
