// Matches what is written in place of an id with the items of a list, and takes the one that is meant.
import {type Page, rejectCutList, walkPages} from '../../client/paging.ts'
import {SvcError} from '../../errors.ts'
import {hasWords} from '../../values/text.ts'
import {startProgress} from '../output/streams.ts'
import {type FindableKind, type Finder, type Reference, prefixLengthMin, startsWithIgnoringCase} from './finder.ts'

// An item that the service lists twice, because the list changed while it was read, counts once.
const omitRepeated = <T>(items: readonly T[], {getId}: FindableKind<T>): T[] => [
  ...new Map(items.map((item) => [getId(item), item])).values(),
]

const hasId = <T>(item: T, {getId}: FindableKind<T>) => getId(item) !== ''

// Returns the items whose id begins with the text, or the one that has it as its whole id. An item without a readable id
// could be another match, so it makes the answer uncertain, unless it may have none yet.
export function matchId<T>(
  items: readonly T[],
  text: string,
  kind: FindableKind<T>,
  {mayLackId = () => false}: {mayLackId?: (item: T) => boolean} = {},
): T[] {
  rejectUnreadable(items, kind, mayLackId)
  const named = items.filter((item) => hasId(item, kind))
  const all = omitRepeated(named, kind)
  const exact = all.filter((item) => kind.getId(item) === text)
  if (exact.length > 0) return exact
  return text.length < prefixLengthMin ? [] : all.filter((item) => startsWithIgnoringCase(kind.getId(item), text))
}

function rejectUnreadable<T>(
  items: readonly T[],
  kind: FindableKind<T>,
  mayLackId: (item: T) => boolean = () => false,
): void {
  const unreadable = items.filter((item) => !hasId(item, kind) && !mayLackId(item))
  if (unreadable.length > 0) throw createUnreadableError(unreadable.length, kind)
}

// Returns the items that have the words in their id or search text.
export function matchWords<T>(items: readonly T[], words: string, kind: FindableKind<T>): T[] {
  const named = items.filter((item) => hasId(item, kind))
  return omitRepeated(named, kind).filter((item) => hasWords(`${kind.getId(item)}\n${kind.getSearchText(item)}`, words))
}

// Returns the one match of something that names it for certain. Several are chosen from in a terminal; a script gets them
// listed.
export async function takeCertainMatch<T>(
  matches: readonly T[],
  reference: Reference,
  kind: FindableKind<T>,
  {isInteractive}: Finder,
): Promise<T> {
  const {what, text = ''} = reference
  const [first] = matches
  if (first === undefined) throw createNoMatchError(what, text, kind)
  if (matches.length === 1) return first
  if (!isInteractive) throw createAmbiguousError(what, text, matches, kind)
  return pick(matches, reference, kind)
}

// Returns the match of words that a person wrote in a terminal, and says which one it is.
export async function takeWordMatch<T>(
  matches: readonly T[],
  reference: Reference,
  kind: FindableKind<T>,
  {notice}: Finder,
): Promise<T> {
  const {what, text = '', confirmation} = reference
  const [first] = matches
  if (first === undefined) throw createNoMatchError(what, text, kind)
  if (matches.length > 1 || confirmation !== undefined) return pick(matches, reference, kind)
  notice(`"${text}" is ${kind.describe(first)}, ${kind.getId(first)}.`)
  return first
}

// Enter confirms the only match.
async function pick<T>(matches: readonly T[], reference: Reference, kind: FindableKind<T>): Promise<T> {
  const {pickItem} = await import('./pick-item.ts')
  const {text = '', question = `Which ${kind.singular}?`, confirmation = question} = reference
  if (matches.length === 1) return pickItem(confirmation, matches, kind)
  return pickItem(`${question} (${matches.length} match "${text}")`, matches, kind)
}

const matchesListedMax = 10

function createAmbiguousError<T>(what: string, text: string, matches: readonly T[], kind: FindableKind<T>): SvcError {
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

const createNoMatchError = <T>(what: string, text: string, {singular, hintForNone}: FindableKind<T>) =>
  new SvcError({
    error: 'NOT_FOUND',
    kind: 'notFound',
    message: `${what} "${text}" matches no ${singular}`,
    hint: hintForNone?.(text) ?? 'Check it, and that it belongs to this profile',
  })

const createUnreadableError = (count: number, {singular, plural}: {singular: string; plural: string}) =>
  new SvcError({
    error: 'LIST_UNREADABLE',
    kind: 'unreachable',
    message: `The service lists ${count === 1 ? `one ${singular}` : `${count} ${plural}`} without a readable id, so svc cannot tell whether the beginning of an id is the beginning of one alone`,
    hint: 'Use the whole id; `svc doctor` shows how the service differs from the interface',
  })

// Reads a list to its end, for answers that are true only of the whole list, such as that nothing else begins like an id.
interface WholeListSettings<T> {
  itemsKey: string
  // What the items are called, for messages.
  plural: string
  countMax: number
  // What makes the list shorter, such as: give --customer.
  narrowingHint?: string | undefined
  // Whether the item decides the search, so that the rest of the list does not matter.
  isEnough?: (item: T) => boolean
}

type FetchPage = (paging: {pageSize: number; pageToken?: string}) => Promise<Page>

const createTooLongError = ({plural, countMax, narrowingHint}: Omit<WholeListSettings<never>, 'isEnough'>) =>
  new SvcError({
    error: 'LIST_TOO_LONG',
    kind: 'usage',
    message: `There are more than ${countMax} ${plural}, too many to search all of them`,
    hint: [narrowingHint, 'Use the whole id'].filter(Boolean).join('. '),
  })

// Throws if the list is longer than `countMax`, or if it may go on where it seems to end.
export async function readWholeList<T>(fetchPage: FetchPage, settings: WholeListSettings<T>): Promise<T[]> {
  const {itemsKey, plural, countMax, isEnough} = settings
  const found: T[] = []
  const progress = startProgress()
  try {
    for await (const {items, envelope, resumeToken} of walkPages(fetchPage, itemsKey, {all: true})) {
      const read = items as T[]
      found.push(...read)
      if (isEnough && read.some(isEnough)) return found
      if (found.length > countMax || (found.length === countMax && resumeToken !== undefined)) {
        throw createTooLongError(settings)
      }
      if (resumeToken === undefined) rejectCutList(envelope)
      progress.report(`${found.length} ${plural} searched…`)
    }
  } finally {
    progress.end()
  }
  return found
}
