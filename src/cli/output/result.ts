// What a command returns: data, and the view by which people read it. Printing it is the base command's work.
import type {WalkedPage} from '../../client/paging.ts'
import type {SvcError} from '../../errors.ts'
import type {Painter} from './colour.ts'
import type {Filter} from './filters.ts'
import type {View} from './view.ts'

// A page of the service's list, with its items typed.
export interface ResultPage<T> extends Omit<WalkedPage, 'items'> {
  items: T[]
}

export interface ListResult<T> {
  kind: 'list'
  // The key of the envelope under which the items stand.
  key: string
  view: View<T>
  pages: AsyncIterable<ResultPage<T>>
  // What people read where a table does not say it, such as a file or a plan. `width` is that of the terminal, if any.
  draw?: ((items: T[], painter: Painter, width: number | undefined) => string | Promise<string>) | undefined
  // How the command ends once the list is printed, where it is not well.
  ending?: SvcError | undefined
  // What the list is filtered by here, since the service cannot.
  filter?: Pick<Filter, 'by' | 'unjudged'> | undefined
}

export interface ItemResult<T extends object> {
  kind: 'item'
  value: T
  // Without a view, people get JSON as well.
  view?: View<T>
  // How the command ends once this is printed, where it is not well: the thing is there, and yet it failed or still waits.
  ending?: SvcError | undefined
}

// The item type is erased here: the printer needs only that the view and the items belong together.
export type Result = ListResult<unknown> | ItemResult<object> | undefined

export function itemResult<T extends object>(value: T, view?: View<T>, ending?: SvcError): Result {
  return {kind: 'item', value, ...(view && {view}), ending} as unknown as Result
}

interface ListOptions<T> extends Pick<ListResult<T>, 'draw' | 'ending'> {
  // Fields that stand beside the items in the envelope.
  extraFields?: Record<string, unknown>
}

// A list that is there as a whole, in the shape of one that is paged.
export function listResult<T>(
  items: T[],
  key: string,
  view: View<T>,
  {extraFields: beside, draw, ending}: ListOptions<T> = {},
): Result {
  async function* pages() {
    yield {items, envelope: {...beside, [key]: items}}
  }
  return {kind: 'list', key, view, pages: pages(), draw, ending} as unknown as Result
}
