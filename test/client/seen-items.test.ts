// What was shown of a list is found again, also if it was so much that it went to a file, or could not.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {afterEach, describe, expect, it} from 'vitest'
import {createPageScanner} from '../../src/client/scan-page.ts'
import {SeenItems} from '../../src/client/seen-items.ts'
import {type WireEndpoint, wire} from '../../src/contract/wire.frozen.ts'
import {customer} from '../support/service.ts'

const createItems = (from: number, to: number) =>
  Array.from({length: to - from}, (_, index) => ({id: `row-${from + index}`}))

const countSeen = (seen: SeenItems, items: readonly unknown[]) => items.filter((item) => seen.has(item)).length

const {TMPDIR} = process.env
afterEach(() => {
  if (TMPDIR === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = TMPDIR
})

describe('items that were shown', () => {
  // A file takes what is beyond 64 Ki items, and after a short list there is none.
  it.each([0, 1, 1024, 1025, 70_000, 150_001])('are found, and no others, after %i', (count) => {
    const seen = new SeenItems('items')
    for (let from = 0; from < count; from += 10_000) seen.add(createItems(from, Math.min(count, from + 10_000)))
    expect(countSeen(seen, createItems(0, count))).toBe(count)
    expect(countSeen(seen, createItems(count, count + 5000))).toBe(0)
    // What a list shows when it is read again is remembered as well.
    seen.add(createItems(count, count + 5000))
    expect(countSeen(seen, createItems(0, count + 6000))).toBe(count + 5000)
    seen.close()
  })

  it('are found if no file can be made', () => {
    process.env['TMPDIR'] = path.join(os.tmpdir(), 'svc-no-such-folder')
    const seen = new SeenItems('items')
    seen.add(createItems(0, 150_000))
    expect(countSeen(seen, createItems(0, 150_100))).toBe(150_000)
  })

  it('leave no file behind', () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-test-'))
    process.env['TMPDIR'] = folder
    const seen = new SeenItems('items')
    seen.add(createItems(0, 150_000))
    expect(fs.readdirSync(folder)).toEqual([])
    seen.close()
    fs.rmdirSync(folder)
  })

  it('are the same if their page was scanned', () => {
    const customers = [customer(1), customer(2)]
    const scan = createPageScanner(wire['customers']?.['list'] as WireEndpoint)
    const page = scan(JSON.stringify({customers})) as {customers: unknown[]}
    const seen = new SeenItems('customers')
    seen.add(page.customers)
    expect([...customers, customer(3)].map((item) => seen.has(item))).toEqual([true, true, false])
  })
})
