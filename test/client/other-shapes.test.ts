// What svc finds in envelopes and error bodies of other forms.
import {describe, expect, it} from 'vitest'
import {readErrorBody} from '../../src/client/failures.ts'
import {findCutSign, findNextPage} from '../../src/client/other-shapes.ts'

const find = (envelope: unknown, link?: string) => findNextPage(envelope, link, '/customers')

describe('the token of the next page', () => {
  it.each([
    [{meta: {paging: {next_cursor: 'a b'}}}, '?pageToken=a+b&cursor=a+b', 'meta.paging.next_cursor'],
    [{continuationToken: 'x'}, '?pageToken=x&continuationToken=x', 'continuationToken'],
    [{nextPage: 2}, '?pageToken=2&page=2', 'nextPage'],
    [{next: '/api/customers?page=2'}, '?page=2', 'next'],
    [{_links: {next: {href: 'https://other.example/api/customers?cursor=x'}}}, '?cursor=x', '_links.next.href'],
    [{page: {nextPageToken: '?odd'}}, '?pageToken=%3Fodd', 'page.nextPageToken'],
  ])('is found in %j', (envelope, token, foundAt) => {
    expect(find(envelope)).toEqual({token, foundAt})
  })

  it.each([
    {cursor: ''},
    {cursor: null},
    {cursor: 'x', has_more: false},
    {pageInfo: {endCursor: 'x', hasNextPage: false}},
    {next: 'https://other.example/orders?page=2'},
    {items: [{cursor: 'x'}]},
    {a: {b: {c: {cursor: 'too deep'}}}},
    [],
    null,
  ])('is not found in %j', (envelope) => {
    expect(find(envelope)).toBeUndefined()
  })

  it('is found in a Link header with several links', () => {
    const link = '<https://x.example/customers?page=1>; rel="prev", <https://x.example/customers?page=3>; rel="next"'
    expect(find([], link)).toEqual({token: '?page=3', foundAt: 'a Link header'})
    expect(find([], '<https://x.example/customers?page=1>; rel="prev"')).toBeUndefined()
  })
})

describe('a page without a token', () => {
  const full = {count: 100, requestedSize: 100, isFirst: true}

  it.each([
    ['a field that could be a token, in a full page', {bookmark: 'x'}, full, 'bookmark'],
    ['the same in a page of a smaller, usual size', {bookmark: 'x'}, {...full, count: 50}, 'bookmark'],
    ['a flag', {hasMore: true}, {...full, count: 3}, 'hasMore'],
    ['a total', {meta: {total: 7}}, {...full, count: 3}, 'meta.total'],
    ['a number of pages', {totalPages: 2}, {...full, count: 3}, 'totalPages'],
  ])('may not be the last one, by %s', (_, envelope, page, sign) => {
    expect(findCutSign(envelope, page)).toBe(sign)
  })

  it.each([
    ['a short page', {bookmark: 'x'}, {...full, count: 37}],
    ['a usual size by chance', {environment: 'test'}, {...full, count: 50}],
    ['a total that is reached', {total: 100, requestId: 'x', timestamp: '2026-11-01T12:00:00Z'}, full],
    ['a total on a later page', {total: 300}, {...full, isFirst: false}],
    ['a flag', {bookmark: 'x', hasMore: false}, full],
    ['an empty list', {bookmark: 'x'}, {...full, count: 0}],
  ])('is the last one with %s', (_, envelope, page) => {
    expect(findCutSign(envelope, page)).toBeUndefined()
  })
})

describe('the reason of a refusal', () => {
  it.each([
    [
      {error: 'TAKEN', message: 'no'},
      {error: 'TAKEN', message: 'no'},
    ],
    [{error: {message: 'no', code: 'TAKEN'}}, {error: 'TAKEN', message: 'no'}],
    [{errors: [{code: 'TAKEN', message: 'is taken', field: 'email'}]}, {error: 'TAKEN', message: 'email: is taken'}],
    [{message: ['a', 'b', 'a']}, {message: 'a; b'}],
    [{title: 'Invalid', errors: {email: ['is taken']}}, {message: 'Invalid; email: is taken'}],
    [{errors: [{detail: 'is taken', source: {pointer: '/email'}}]}, {message: '/email: is taken'}],
    [{type: 'about:blank', title: 'Bad', status: 400}, {message: 'Bad'}],
    [['a', {message: 'b'}], {message: 'a; b'}],
    ['plain', {message: 'plain'}],
    [{code: 17, message: 'no'}, {message: 'no'}],
    [{error: 'constructor'}, {error: 'constructor'}],
    [{}, {}],
    [null, {}],
  ])('is read from %j', (body, words) => {
    expect(readErrorBody(body, JSON.stringify(body))).toEqual(words)
  })

  it('is never long, however deep or large the body is', () => {
    let deep: unknown = 'end'
    for (let depth = 0; depth < 900; depth++) deep = {error: {message: deep}}
    expect(readErrorBody(deep, '')).toEqual({})
    expect(readErrorBody({errors: Array.from({length: 1e5}, (_, index) => `e${index}`)}, '').message).toBe(
      'e0; e1; e2; e3; e4',
    )
    expect(readErrorBody(undefined, 'x'.repeat(1e6)).message).toHaveLength(1001)
    expect(readErrorBody(undefined, `<html>${'<title '.repeat(1e5)}`)).toEqual({})
  })
})
