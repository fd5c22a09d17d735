// Reads a list to its end, for answers that are true only of the whole list, such as that nothing else begins like an id.
import {rejectCutList} from '../../client/list-end.ts'
import {type Page, walkPages} from '../../client/paging.ts'
import {SvcError} from '../../errors.ts'
import {startProgress} from '../output/progress.ts'

export interface WholeListSettings<T> {
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
      found.push(...(items as T[]))
      if (isEnough && (items as T[]).some(isEnough)) return found
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
