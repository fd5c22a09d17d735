// What the pages of single items share: the path back to their list, and what is said if the item cannot be shown.
import {type Content, html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, tryRead} from '../context.ts'
import {renderFailure, renderHeading} from '../../parts.ts'

export interface ItemPage<Item> {
  // What the item is, such as Customer.
  noun: string
  list: {path: string; title: string}
  find: () => Promise<Item | undefined>
  // What is said if there is none.
  missing: Content
  render: (item: Item) => Promise<{title: string; beside?: Content; body: Content}>
}

export async function renderItem<Item>(
  context: ConsoleContext,
  {noun, list, find, missing, render}: ItemPage<Item>,
): Promise<ConsolePage> {
  const read = await tryRead(context, find)
  if (read.failure !== undefined) return createPage(noun, 502, renderFailure(read.failure))
  if (!read.value) return createPage(noun, 404, html`<p>${missing}</p>`)
  const {title, beside, body} = await render(read.value)
  const heading = renderHeading(context, {list: list.path, listTitle: list.title, title, beside})
  return {title, body: [heading, body]}
}

const createPage = (title: string, status: number, body: Content): ConsolePage => ({
  title,
  status,
  body: html`<h1>${title}</h1>
    ${body}`,
})
