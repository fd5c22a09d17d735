// Items as lines of JSON: cut out of the service's text if possible, serialized again if not.
import {describe, expect, it} from 'vitest'
import {cutItemLines, attachText} from '../../src/client/item-lines.ts'
import {customer, reply, serve} from '../support/service.ts'
import {freshHome, run} from '../support/svc.ts'

function cutLines(text: string): string | undefined {
  const page = JSON.parse(text) as Record<string, unknown>
  attachText(page, text)
  return cutItemLines(page, 'items')?.toString()
}

const items = [{id: 'a', more: [{id: 'z'}]}, {id: 'b', text: 'a "},{\\"id\\":" b'}, {id: 'c'}]
const toLines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

describe('lines of a page', () => {
  it.each([
    ['with a token', {items, nextPageToken: 'x'}],
    ['without one', {items}],
    ['with other fields', {items, nextPageToken: null, total: 3, by: {id: 'q'}}],
    ['with a single item', {items: [{id: 'a'}]}],
  ])('are cut out of compact text %s', (_, page) => expect(cutLines(JSON.stringify(page))).toBe(toLines(page.items)))

  it('keep the digits and the escapes that the service wrote', () => {
    expect(cutLines(String.raw`{"items":[{"id":"a","n":1.0},{"id":"b","u":"\/"}]}`)).toBe(
      `${String.raw`{"id":"a","n":1.0}`}\n${String.raw`{"id":"b","u":"\/"}`}\n`,
    )
  })

  it.each([
    ['an empty list', '{"items":[]}'],
    ['an empty item', '{"items":[{},{"id":"a"}]}'],
    ['blanks between items', '{"items":[{"id":"a"}, {"id":"b"}]}'],
    ['line breaks', JSON.stringify({items}, null, 2)],
    ['a line break alone', '{"items":[{"id":"a",\n"x":1},{"id":"b"}]}'],
    ['another first key', '{"items":[{"id":"a"},{"x":1,"id":"b"}]}'],
    ['the same key deeper inside', '{"items":[{"id":"a","in":[{"id":"b"},{"id":"c"}]}]}'],
    ['a deeper one in place of a boundary', '{"items":[{"id":"a","in":[{"id":"p"},{"id":"q"}]}, {"id":"b"}]}'],
    ['a deeper one that looks like the next item', '{"items":[{"id":"a","in":[{"z":1},{"id":"b"}]}, {"id":"b"}]}'],
    ['a blank before a comma', '{"items":[{"id":"a","in":[{"z":1},{"id":"b"}]} ,{"id":"b"}]}'],
    ['a tab after a brace', '{"items":[{"id":"a","in":[{"z":1},{"id":"b"}]},{\t"id":"b"}]}'],
    ['a blank before a colon', '{"items":[{"id":"a","in":[{"z":1},{"id":"b"}]},{"id" :"b"}]}'],
    ['an escaped key', String.raw`{"items":[{"i/d":"a","in":[{"z":1},{"i/d":"b"}]},{"i\/d":"b"}]}`],
    ['the list twice', '{"items":[{"id":"a"}],"items":[{"id":"a"}]}'],
    ['the list twice, once with an escape', String.raw`{"items":[{"id":"a"}],"\u0069tems":[{"id":"a"}]}`],
    ['a key that is written in another way', String.raw`{"items":[{"id":"a"},{"\u0069d":"b"}]}`],
    ['the list not first', '{"total":1,"items":[{"id":"a"}]}'],
    ['other fields with blanks', '{"items":[{"id":"a"}], "total":1}'],
    ['keys that JavaScript puts first', '{"items":[{"id":"a","1":2},{"id":"b","1":2}]}'],
  ])('are not cut out of text with %s', (_, text) => expect(cutLines(text)).toBeUndefined())

  it('are undefined for a page without text', () => expect(cutItemLines({items}, 'items')).toBeUndefined())
})

describe('-o jsonl', () => {
  it.each([
    ['compact', (page: unknown) => JSON.stringify(page)],
    ['indented', (page: unknown) => JSON.stringify(page, null, 2)],
  ])('writes the same for %s pages, with control characters escaped', async (_, write) => {
    const customers = [customer(1), customer(2, {name: 'Ada\u202e\u007f'}), customer(3, {name: 'Zoë'})]
    const service = await serve((request, response) =>
      reply(
        response,
        200,
        write(request.query.get('pageToken') ? {customers: [customer(4)]} : {customers, nextPageToken: 'b'}),
      ),
    )
    const {code, out} = await run(freshHome(), ['customers', 'list', '--all', '-o', 'jsonl'], {env: service.env})
    expect(code).toBe(0)
    const escaped = toLines([...customers, customer(4)]).replace('\u202e', String.raw`\u202e`)
    expect(out).toBe(escaped.replace('\u007f', String.raw`\u007f`))
  })

  it('does not cut a page that is shown only in part', async () => {
    const service = await serve((_, response) => reply(response, 200, {customers: [customer(1), customer(2)]}))
    const {out} = await run(freshHome(), ['customers', 'list', '--limit', '1', '-o', 'jsonl'], {env: service.env})
    expect(out).toBe(toLines([customer(1)]))
  })
})
