// What a command returns: data, and the view that turns it into text. The base command prints it.
import type {WalkedPage} from '../../client/paging.ts'
import type {SvcError} from '../../errors.ts'
import {cleanText} from './clean.ts'
import type {Painter} from './colour.ts'
import type {Filter} from './filters.ts'
import type {View} from './view.ts'

export interface ListResult {
  kind: 'list'
  // The field of the envelope that holds the items.
  key: string
  view: View<unknown>
  pages: AsyncIterable<WalkedPage>
  // Replaces the table where a table does not say enough, such as for a file or a plan. `width` is that of the terminal.
  render?(items: unknown[], painter: Painter, width: number | undefined): string | Promise<string>
  // Whether the whole list was asked for. Then it is a failure if it may be incomplete.
  isAll?: boolean | undefined
  // Thrown once the list is printed, so that the command ends with its exit code.
  failure?: SvcError | undefined
  // The filter that was applied here because the service cannot apply it.
  filter?: Pick<Filter, 'by' | 'notSearched' | 'undecided'> | undefined
}

export interface ItemResult<T extends object = object> {
  kind: 'item'
  value: T
  // Without a view, the item is printed as JSON in a terminal too.
  view?: View<T> | undefined
  // Replaces the record where a record does not say enough. `width` is that of the terminal.
  render?(value: T, painter: Painter, width: number | undefined): string
  // Thrown once the item is printed: it exists, but it failed or is still pending.
  failure?: SvcError | undefined
}

export type Result = ListResult | ItemResult | undefined

export function itemResult<T extends object>(value: T, view?: View<T>, failure?: SvcError): Result {
  return {kind: 'item', value, view, failure}
}

// What was removed, in a sentence: a table would look as if it still existed. The other formats have all of it.
export function removedResult<T extends object>(value: T, view: View<T>, sentence: string): Result {
  return {kind: 'item', value, view, render: () => `${cleanText(sentence)}\n`}
}

interface ListOptions<T> {
  // Fields of the envelope beside the items.
  extraFields?: Record<string, unknown>
  render?: ((items: T[], painter: Painter, width: number | undefined) => string | Promise<string>) | undefined
  failure?: SvcError | undefined
}

// A list that is in memory already, as a single page.
export function listResult<T>(
  items: T[],
  key: string,
  view: View<T>,
  {extraFields, render, failure}: ListOptions<T> = {},
): Result {
  async function* pages() {
    yield {items, envelope: {...extraFields, [key]: items}}
  }
  return {kind: 'list', key, view, pages: pages(), ...(render && {render}), failure}
}
