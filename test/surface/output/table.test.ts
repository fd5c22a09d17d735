// Tables fit the terminal, are complete and without colour in a pipe, and show the columns of --columns.
import stringWidth from 'string-width'
import {describe, expect, test} from 'vitest'
import {renderRecord, renderTable} from '../../../src/cli/output/table.ts'
import {isShownIn} from '../../../src/cli/output/view.ts'
import type {LooseCustomer} from '../../../src/contract/loose.ts'
import {customerView} from '../../../src/customers/view.ts'
import {customer, customerId, reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

const names = [
  'Ada Lovelace',
  'A company with a name that goes on and on and on, far beyond any terminal, and then some more, Ltd',
  '株式会社ペイメント・サービス・ジャパン・ホールディングス東京本社',
  'Zoë Ångström',
  '👩‍👩‍👧‍👦 Familie 🇩🇪 ❤️ e\u0301',
  '',
]

const manyNames = () =>
  serve((_, response) =>
    reply(response, 200, {
      customers: names.map((name, index) => customer(index, {name, customerStatus: 'NEEDS_ADDITIONAL_INFORMATION'})),
    }),
  )

const tableLines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('No room'))

describe('A table on a terminal', () => {
  test.each([200, 120, 80, 60, 40, 36])('fits %i columns, with complete ids', async (cols) => {
    const service = await manyNames()
    const screen = onTerminal(freshHome(), ['customers', 'list', '--quiet'], {env: service.env, cols})
    expect(await screen.ended).toBe(0)
    for (const line of tableLines(screen.text())) expect([stringWidth(line) <= cols, line]).toEqual([true, line])
    for (const index of names.keys()) expect(screen.text()).toContain(customerId(index))
  })

  test('becomes a list of records if not even the id fits, and loses nothing', async () => {
    const service = await manyNames()
    const screen = onTerminal(freshHome(), ['customers', 'list', '--quiet'], {env: service.env, cols: 20})
    expect(await screen.ended).toBe(0)
    const text = screen.words()
    for (const index of names.keys()) expect(text).toContain(customerId(index))
    expect(text).toContain('and then some more, Ltd')
  })

  test('says which columns it dropped, and drops none that --columns names', async () => {
    const service = await manyNames()
    const show = async (...args: string[]) => {
      const screen = onTerminal(freshHome(), ['customers', 'list', ...args], {env: service.env, cols: 80})
      expect(await screen.ended).toBe(0)
      return screen.text()
    }
    expect(await show()).toMatch(/No room for .*EMAIL.*--columns/s)
    const [header = '', ...rows] = tableLines(await show('--columns', 'id,email,name,type'))
    expect(header.trim().split(/\s{2,}/)).toHaveLength(4)
    for (const row of rows) expect(stringWidth(row)).toBeLessThanOrEqual(80)
  })

  test('is coloured, unless NO_COLOR or TERM=dumb is set', async () => {
    const service = await manyNames()
    const coloured = async (env: Record<string, string>) => {
      const screen = onTerminal(freshHome(), ['profiles', 'list'], {env: {...service.env, ...env}})
      await screen.ended
      return screen.raw().includes('\u001B[')
    }
    expect(await coloured({})).toBe(true)
    expect(await coloured({NO_COLOR: ''})).toBe(true)
    expect(await coloured({NO_COLOR: '1'})).toBe(false)
    expect(await coloured({TERM: 'dumb'})).toBe(false)
    expect(await coloured({FORCE_COLOR: '0'})).toBe(false)
    expect(await coloured({NO_COLOR: '1', FORCE_COLOR: '1'})).toBe(true)
  })
})

describe('Columns that do not all fit', () => {
  const plain = {dim: String, bold: String, alarm: String, status: String}
  const idEnd = '-a06d-4ef3-bc07-b5cacbf3446c'
  const people = ['4738020a', '7b0c9a52'].map((start) => ({
    ...customer(1, {name: 'Sahyadri Textiles Private Limited'.slice(0, 30), customerStatus: 'UNDER_REVIEW'}),
    customerId: `${start}${idEnd}`,
  }))
  const columns = customerView.columns.filter((column) => isShownIn('table', column))
  const render = (items: readonly LooseCustomer[], width: number | undefined, shown = columns) =>
    renderTable(items, shown, plain, width).text.trimEnd().split('\n')

  test('leave whole ids if there is room, in a pipe, and alone', () => {
    for (const width of [200, undefined]) expect(render(people, width)[1]).toMatch(`4738020a${idEnd}`)
    expect(render(people, 40, columns.slice(0, 1))[1]).toBe(`4738020a${idEnd}`)
  })

  test('show as much of the ids as tells them apart', () => {
    const alike = ['4738020a-a06d', '4738020a-a16d'].map((start) => ({
      ...people[0],
      customerId: `${start}-4ef3-bc07-b5cacbf3446c`,
    }))
    const [, first, second] = render(alike, 80)
    expect(first).toMatch(/^4738020a-a0 {2}UNDER/)
    expect(second).toMatch(/^4738020a-a1 {2}UNDER/)
  })
})

test('A word of a record that is too wide starts on a line of its own, and an entry of a list that wraps is indented', () => {
  const plain = {dim: String, bold: String, alarm: String, status: String}
  const link = {name: 'link', header: 'VERIFICATION LINK', value: (length: number) => 'x'.repeat(length), rank: 0}
  const render = (length: number, width: number | undefined) => renderRecord(length, [link], plain, width)
  expect(render(61, 80)).toBe(`VERIFICATION LINK  ${'x'.repeat(61)}\n`)
  expect(render(62, 80)).toBe(`VERIFICATION LINK\n${'x'.repeat(62)}\n`)
  expect(render(100, 80)).toBe(`VERIFICATION LINK\n${'x'.repeat(100)}\n`)
  expect(render(100, undefined)).toBe(`VERIFICATION LINK  ${'x'.repeat(100)}\n`)
  const notes = {name: 'notes', header: 'NOTES', value: () => ['one two three four five', 'six'], rank: 0}
  expect(renderRecord(0, [notes], plain, 27)).toBe('NOTES  one two three four\n         five\n       six\n')
})

test('A table in a pipe is complete, aligned and without colour, however long and wide its cells are', async () => {
  const service = await manyNames()
  const {out} = await run(freshHome(), ['customers', 'list'], {env: service.env})
  expect(out).not.toContain('\u001B')
  expect(out).not.toContain('…')
  const [header = '', ...rows] = out.trimEnd().split('\n')
  expect(header).toMatch(/^ID +STATUS +TYPE +NAME +EMAIL +UPDATED \(UTC\)$/)
  expect(rows).toHaveLength(names.length)
  for (const [index, row] of rows.entries()) {
    expect(row).toContain(names[index])
    expect(stringWidth(row.slice(0, row.search(/\S+@/)))).toBe(header.indexOf('EMAIL'))
  }
})

describe('--columns', () => {
  test.each([
    ['name,id', [], /^NAME +ID$/],
    ['STATUS, CustomerId ,organization', [], /^STATUS +ID +ORGANIZATION$/],
    ['updated,name', ['-o', 'csv'], /^updatedAt,name$/],
    ['id,id', [], /^ID +ID$/],
  ])('%s shows these, in that order, by full or short name, in any case', async (columns, more, header) => {
    const service = await manyNames()
    const {out} = await run(freshHome(), ['customers', 'list', '--columns', columns, ...more], {env: service.env})
    expect(out.split('\n')[0]).toMatch(header)
  })

  test.each(['nope', '', 'id,', 'constructor', 'id;name'])('rejects %j before anything is sent', async (columns) => {
    const service = await manyNames()
    for (const format of ['table', 'csv', 'json']) {
      const args = ['customers', 'list', '--columns', columns, '-o', format]
      const {code, out, err} = await run(freshHome(), args, {env: service.env})
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toContain('Known columns are id, status, type, name')
    }
    expect(service.requests).toEqual([])
  })
})
