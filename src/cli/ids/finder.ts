// Finds the one thing that a person or a script means by what is written in place of its id. A script may write the whole id, the
// beginning of one, or another value that is exactly as certain. In a terminal a person may also write any part of a name, chooses
// among several matches, and is asked if nothing is written.
import type {Client} from '../../client/client.ts'
import {type Page, rejectCutList, walkPages} from '../../client/paging.ts'
import {isUuid} from '../../contract/ids.ts'
import {SvcError} from '../../errors.ts'
import {hasWords} from '../../values/text.ts'
import {startProgress} from '../output/streams.ts'
import {type FindableKind, createNoneError, listWithId} from './findable.ts'

// What a command lends to a search. `SvcCommand.finder()` makes one.
export interface Finder {
  isInteractive: boolean
  notice: (text: string) => void
  // Connects when it is first called, and returns the same client from then on.
  connect: () => Promise<Client>
  // The organization whose customers are offered to a person. An id is looked up among all customers.
  getOrganizationId: () => Promise<string | undefined>
  // Throws the error that names a required argument or flag that is missing.
  rejectMissing: (name: string) => never
}

// What is written, and where.
export interface Reference {
  // The argument or flag, as a sentence about its value begins: "The customer id" or "--customer".
  what: string
  // The name of the argument or flag, for the error that it is missing: "ID" or "--customer".
  name: string
  text: string | undefined
  // The question by which one of several is chosen, if it is not "Which customer?": "From which payment account?".
  question?: string
  // The question about the only match of a name, which must be confirmed because money follows from it: "Pay from this customer?".
  confirmation?: string
}

export const toArgumentReference = (noun: string, text: string | undefined): Reference => ({
  what: `The ${noun} id`,
  name: 'ID',
  text,
})

export const toFlagReference = (flag: string, text: string | undefined): Reference => ({
  what: `--${flag}`,
  name: `--${flag}`,
  text,
})

// Shorter beginnings match by chance too often.
export const prefixLengthMin = 8

const uuidExample = '00000000-0000-0000-0000-000000000000'

// Whether the text is the beginning of a UUID, but not all of it.
export const isUuidPrefix = (text: string): boolean =>
  text.length >= prefixLengthMin &&
  text.length < uuidExample.length &&
  isUuid(`${text}${uuidExample.slice(text.length)}`)

export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text)

// Returns the item that is meant, or undefined if none matches. Without a text, a person chooses from all.
export async function findMeant<T>(
  items: readonly T[],
  reference: Reference,
  kind: FindableKind<T>,
  {isInteractive, notice, rejectMissing}: Pick<Finder, 'isInteractive' | 'notice' | 'rejectMissing'>,
): Promise<T | undefined> {
  const {text, name, confirmation} = reference
  const all = listWithId(items, kind)
  if (text === undefined) {
    if (!isInteractive) rejectMissing(name)
    if (all.length === 0) throw createNoneError(kind.plural)
    return pick(all, {...reference, confirmation: undefined}, kind)
  }
  const certain = matchCertainly(items, all, text, kind)
  if (certain.length > 1) {
    if (!isInteractive) throw createAmbiguousError(certain, reference, kind)
    return pick(certain, reference, kind)
  }
  if (certain.length === 1 || !isInteractive || isUuidPrefix(text) || isEmail(text) || text.trim() === '')
    return certain[0]
  const named = all.filter((item) => hasWords(`${kind.getId(item)}\n${kind.getSearchText(item)}`, text))
  const [only, ...others] = named
  if (only === undefined) return undefined
  if (others.length > 0 || confirmation !== undefined) return pick(named, reference, kind)
  notice(`"${text}" is ${kind.describe(only)}, ${kind.getId(only)}.`)
  return only
}

// The items that the text names as their id, as their alias, or by the beginning of their id. Upper and lower case count as the
// same, as in UUIDs: two that differ in nothing else are two matches.
function matchCertainly<T>(items: readonly T[], all: readonly T[], text: string, kind: FindableKind<T>): T[] {
  const {getId, getAlias, mayLackId = () => false} = kind
  const wanted = text.toLowerCase()
  const isAlias = (item: T) => String(getAlias?.(item)).trim().toLowerCase() === wanted
  const exact = all.filter((item) => getId(item) === text || isAlias(item))
  if (exact.length > 0) return exact
  const begun = text.length < prefixLengthMin ? [] : all.filter((item) => getId(item).toLowerCase().startsWith(wanted))
  // Another match may be among those without an id.
  const unreadable = items.filter((item) => getId(item) === '' && !mayLackId(item)).length
  if (unreadable > 0 && (begun.length > 0 || isUuidPrefix(text))) throw createUnreadableError(unreadable, kind)
  return begun
}

// Enter confirms the only match.
async function pick<T>(
  matches: readonly T[],
  {text, question, confirmation}: Omit<Reference, 'confirmation'> & {confirmation?: string | undefined},
  kind: FindableKind<T>,
): Promise<T> {
  const {pickItem} = await import('./choose-item.ts')
  const which = question ?? `Which ${kind.singular}?`
  if (matches.length === 1 && confirmation !== undefined) return pickItem(confirmation, matches, kind)
  return pickItem(text === undefined ? which : `${which} (${matches.length} match "${text}")`, matches, kind)
}

const matchesListedMax = 10

function createAmbiguousError<T>(matches: readonly T[], {what, text}: Reference, kind: FindableKind<T>): SvcError {
  const listed = matches.slice(0, matchesListedMax).map((item) => kind.outline(item))
  const rest = matches.length - listed.length
  return new SvcError({
    error: 'AMBIGUOUS_ID',
    kind: 'usage',
    message: `${what} "${text}" matches ${matches.length} ${kind.plural}`,
    hint: 'Use the whole id of one of them; nothing was changed',
    problems: rest > 0 ? [...listed, `and ${rest} more`] : listed,
  })
}

const createUnreadableError = (count: number, {singular, plural}: {singular: string; plural: string}) =>
  new SvcError({
    error: 'LIST_UNREADABLE',
    kind: 'unreachable',
    message: `The service lists ${count === 1 ? `one ${singular}` : `${count} ${plural}`} without a readable id, so svc cannot tell whether the beginning of an id is the beginning of one alone`,
    hint: 'Use the whole id',
  })

export const createNoMatchError = ({what, text}: Reference, {singular}: {singular: string}) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `${what} "${text}" matches no ${singular}`,
    hint: 'Check it, and that it belongs to this profile',
  })

// The service cannot search, so svc reads the list: at most this many items, in a hundred requests.
export const itemsSearchedMax = 10_000

export function rejectLongList(plural: string): never {
  throw new SvcError({
    error: 'LIST_TOO_LONG',
    kind: 'usage',
    message: `There are more than ${itemsSearchedMax} ${plural}, too many to search all of them`,
    hint: 'Use the whole id, or make the list shorter, such as with --customer',
  })
}

type FetchPage = (paging: {pageSize: number; pageToken?: string}) => Promise<Page>

// Reads a list to its end, for answers that are true only of the whole list, such as that nothing else begins like an id. Throws if
// it is too long, or if it may go on where it seems to end. If an item is enough, the rest of the list does not matter.
export async function readWholeList<T>(
  fetchPage: FetchPage,
  itemsKey: string,
  plural: string,
  isEnough: (item: T) => boolean = () => false,
): Promise<T[]> {
  const found: T[] = []
  const progress = startProgress()
  try {
    for await (const {items, envelope, resumeToken} of walkPages(fetchPage, itemsKey, {all: true})) {
      const read = items as T[]
      found.push(...read)
      if (read.some(isEnough)) return found
      if (found.length > itemsSearchedMax || (found.length === itemsSearchedMax && resumeToken !== undefined))
        rejectLongList(plural)
      if (resumeToken === undefined) rejectCutList(envelope)
      progress.report(`${found.length} ${plural} searched…`)
    }
  } finally {
    progress.end()
  }
  return found
}

// The first characters of an id, which commands accept. Ids of events, deliveries and endpoints have their kind in front.
export const cutId = (id: string, length: number) => id.slice(0, id.indexOf('_') + 1 + length)

// How many characters tell these ids apart.
export function findDistinctLength(ids: ReadonlySet<string>): number {
  const isAmbiguous = (length: number) => new Set([...ids].map((id) => cutId(id, length))).size < ids.size
  let length = prefixLengthMin
  while (isAmbiguous(length)) length++
  return length
}
