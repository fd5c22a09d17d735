// The table of services in docs/paying-once.md says what the rule of the matrix says. The matrix tests hold the rule.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {root} from '../support/svc.ts'
import type {Behaviours} from './faults.ts'
import {
  type CellCase,
  type Knowledge,
  type Payers,
  type Risk,
  combinations,
  everyFaultCase,
  findRisk,
  getListedAfterSeconds,
} from './services.ts'

interface KeyClass {
  name: string
  idempotencies: readonly Behaviours['idempotency'][]
  // What can rightly be said about the keys.
  known: readonly Knowledge[]
}

const keyClasses: readonly KeyClass[] = [
  {
    name: 'honoured',
    idempotencies: ['replay', 'replay-successes', 'replay-any-body', 'refuse', 'refuse-other-body'],
    known: ['unknown', 'stated'],
  },
  {name: 'honoured for the same body only', idempotencies: ['per-body'], known: ['unknown']},
  {name: 'forgotten after a minute', idempotencies: ['forget-after-1m'], known: ['unknown']},
  {name: 'ignored', idempotencies: ['ignore'], known: ['unknown']},
]

const listings = [
  {name: 'at once', matches: (seconds: number) => seconds === 0},
  {name: 'later', matches: (seconds: number) => seconds > 0},
] as const

const columns: ReadonlyArray<{header: string; payers: readonly Payers[]}> = [
  {header: 'one journal', payers: ['one process', 'two processes']},
  {header: 'a lost journal', payers: ['a lost journal']},
  {header: 'two hosts', payers: ['two hosts']},
]

const letters: Readonly<Record<Risk, string>> = {expired: 'a', lost: 'b', hosts: 'c', refused: 'd', stated: 'e'}

const describeRisks = (found: ReadonlySet<Risk>) =>
  found.size === 0
    ? 'one'
    : `**two** possible (${[...found]
        .map((risk) => letters[risk])
        .toSorted()
        .join(', ')})`

function findRisks(cells: readonly CellCase[]): Set<Risk> {
  return new Set(cells.map(findRisk).filter((risk) => risk !== undefined))
}

// One line for each kind of service, as it must be in the docs.
function renderServiceTable(): string {
  const headers = ['reused keys', 'a new transaction is listed', '`--resend`', 'an unanswered payment is']
  const head = [...headers, ...columns.map(({header}) => header)]
  const rows = keyClasses.flatMap(({name, idempotencies, known}) =>
    listings.flatMap((listing) =>
      known.map((knowledge) => {
        const own = combinations.filter(({idempotency}) => idempotencies.includes(idempotency))
        const pairs = everyFaultCase
          .flatMap((faultCase) => own.map((combination) => ({faultCase, combination})))
          .filter(({faultCase, combination}) => listing.matches(getListedAfterSeconds(faultCase, combination)))
        const results = columns.map(({payers}) =>
          describeRisks(findRisks(payers.flatMap((one) => pairs.map((pair) => ({...pair, payers: one, knowledge}))))),
        )
        const said = knowledge === 'stated' ? ['yes', 'sent again'] : ['unknown', 'looked for in the list']
        return [name, listing.name, ...said, ...results]
      }),
    ),
  )
  return [head, head.map(() => '---'), ...rows].map((cells) => toLine(cells)).join('\n')
}

const toLine = (cells: readonly string[]) => (cells[0] === '---' ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`)

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
