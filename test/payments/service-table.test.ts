// The table of services in docs/paying-once.md says what the rule of the matrix says. The matrix tests hold the rule.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {root} from '../support/svc.ts'
import {renderServiceTable} from './service-table.ts'

const page = fs.readFileSync(path.join(root, 'docs/paying-once.md'), 'utf8')

describe('the table of services', () => {
  it('is in the docs as the rule of the matrix has it', () => {
    const table = renderServiceTable()
    const [head = ''] = table.split('\n')
    const start = page.indexOf(head)
    expect(start).toBeGreaterThan(0)
    expect(page.slice(start, page.indexOf('\n\n', start))).toBe(table)
  })

  it('explains each of its reasons once', () => {
    const named = new Set(
      [...renderServiceTable().matchAll(/\(([a-e](?:, [a-e])*)\)/g)].flatMap(([, list = '']) => list.split(', ')),
    )
    expect([...named].toSorted()).toEqual(['a', 'b', 'c', 'd'])
    for (const letter of named) expect(page.split(`\n- **${letter}**`)).toHaveLength(2)
  })
})
