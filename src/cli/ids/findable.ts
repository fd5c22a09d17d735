// What can be found by an id or a name, such as customers: how svc reads and describes it.
import {SvcError} from '../../errors.ts'

export interface FindableKind<T> {
  singular: string
  plural: string
  // Empty if the item has no readable id.
  getId: (item: T) => string
  // Whether an item without an id has none yet, so that no id can mean it.
  mayLackId?: (item: T) => boolean
  // A value that names the item as certainly as its id, such as an email.
  getAlias?: (item: T) => unknown
  // One line for a person in a terminal. It may contain personal data.
  describe: (item: T) => string
  // One line for an error, which may end in a log: without names and other personal data.
  outline: (item: T) => string
  // What a person may search by, besides the id.
  getSearchText: (item: T) => string
  // Items that are offered after the others.
  isLast?: (item: T) => boolean
}

// Those that are offered last, last. One that the service lists twice, because the list changed while it was read, counts once.
export function listWithId<T>(items: readonly T[], {getId, isLast = () => false}: FindableKind<T>): T[] {
  const named = items.filter((item) => getId(item) !== '')
  return [...new Map(named.map((item) => [getId(item), item])).values()].toSorted(
    (a, b) => Number(isLast(a)) - Number(isLast(b)),
  )
}

export const createNoneError = (plural: string, hint?: string) =>
  new SvcError({error: 'NOT_FOUND', kind: 'notFound', message: `There are no ${plural}`, hint})
