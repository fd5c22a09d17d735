// Pages of a scripted service's lists. A page token names the last item of its page, so a page that is read later continues
// after that item in whatever order the list has by then.
import {type Body, type ListOrder, type Refusal, refusal} from './behaviour.ts'

interface PageOptions {
  name: string
  idField: string
  pageItemsMax: number
  deadPageTokens: {refusal: Refusal; times: number}
}

export function readPage(items: readonly Body[], query: URLSearchParams, options: PageOptions): Body | Refusal {
  const {name, idField, pageItemsMax, deadPageTokens} = options
  const size = Number(query.get('pageSize') ?? '10')
  if (!Number.isInteger(size) || size < 1 || size > 100) {
    return refusal(400, 'BAD_REQUEST', 'pageSize must be an integer from 1 to 100')
  }
  const token = query.get('pageToken')
  if (token !== null && deadPageTokens.times > 0) {
    deadPageTokens.times -= 1
    return deadPageTokens.refusal
  }
  const last = token === null ? -1 : items.findIndex((item) => formatToken(item, idField) === token)
  if (token !== null && last === -1) return refusal(400, 'BAD_REQUEST', 'pageToken: no such token')
  const page = items.slice(last + 1, last + 1 + Math.min(size, pageItemsMax))
  const isLast = last + 1 + page.length >= items.length
  return {[name]: page, ...(isLast ? {} : {nextPageToken: formatToken(page.at(-1) ?? {}, idField)})}
}

const formatToken = (item: Body, idField: string) => `after-${String(item[idField])}`

// Orders items that are given oldest first. "mixed" looks random, is always the same, and keeps items where they were
// relative to each other when others are added.
export function orderItems<Item extends {item: Body}>(items: readonly Item[], order: ListOrder): Item[] {
  if (order === 'oldest') return [...items]
  if (order === 'newest') return items.toReversed()
  if (order === 'updated') {
    const updatedAt = ({item}: Item) => Date.parse(String(item['updatedAt']))
    return items.toReversed().toSorted((one, other) => updatedAt(other) - updatedAt(one))
  }
  const ranked = items.map((item, index) => ({item, rank: (index * 7919 + 4242) % 10_007}))
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({item}) => item)
}
