// Pages of a scripted service's lists. A page that is read later continues after the last item of
// the page before it, or after as many items, in whatever order the list has by then.
import {type Behaviour, type Body, type ListOrder, type Refusal, refusal} from './behaviour.ts'

interface PageOptions extends Pick<Behaviour, 'pageItemsMax' | 'pageTokens' | 'deadPageTokens'> {
  name: string
  idField: string
}

export function readPage(items: readonly Body[], query: URLSearchParams, options: PageOptions): Body | Refusal {
  const {name, idField, pageItemsMax, pageTokens, deadPageTokens} = options
  const size = Number(query.get('pageSize') ?? '10')
  if (!Number.isInteger(size) || size < 1 || size > 100) {
    return refusal(400, 'BAD_REQUEST', 'pageSize must be an integer from 1 to 100')
  }
  const token = query.get('pageToken')
  if (token !== null && deadPageTokens.times > 0) {
    deadPageTokens.times -= 1
    return deadPageTokens.refusal
  }
  const start = token === null ? 0 : findStart(items, token, idField)
  if (start === undefined) return refusal(400, 'BAD_REQUEST', 'pageToken: no such token')
  const end = start + Math.min(size, pageItemsMax)
  const page = items.slice(start, end)
  if (end >= items.length) return {[name]: page}
  return {
    [name]: page,
    nextPageToken: pageTokens === 'offset' ? `from-${end}` : formatToken(page.at(-1) ?? {}, idField),
  }
}

function findStart(items: readonly Body[], token: string, idField: string): number | undefined {
  if (token.startsWith('from-')) return Number(token.slice('from-'.length))
  const last = items.findIndex((item) => formatToken(item, idField) === token)
  return last === -1 ? undefined : last + 1
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
  if (order === 'status') {
    const status = ({item}: Item) => String(item['transactionStatus'])
    return items.toSorted((one, other) => (status(one) < status(other) ? -1 : Number(status(one) > status(other))))
  }
  const ranked = items.map((item, index) => ({item, rank: (index * 7919 + 4242) % 10_007}))
  return ranked.toSorted((one, other) => one.rank - other.rank).map(({item}) => item)
}
