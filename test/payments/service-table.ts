// The table of services in docs/paying-once.md, derived from the rule of the matrix.
import type {Behaviours} from '../../src/sandbox/service/faults/behaviour-table.ts'
import {
  afterCommitCases,
  allCombinations,
  type CellCase,
  type Combination,
  faultCases,
  type FaultCase,
  findRisk,
  getListedAfterSeconds,
  getTrust,
  type Knowledge,
  lateCases,
  type Payers,
  type Risk,
} from './matrix.ts'

export const everyFaultCase: readonly FaultCase[] = [...faultCases, ...lateCases, ...afterCommitCases]

const keyClasses: ReadonlyArray<{name: string; idempotencies: readonly Behaviours['idempotency'][]}> = [
  {
    name: 'honoured',
    idempotencies: ['replay', 'replay-successes', 'replay-any-body', 'refuse', 'refuse-other-body'],
  },
  {name: 'honoured for the same body only', idempotencies: ['per-body']},
  {name: 'forgotten after a minute', idempotencies: ['forget-after-1m']},
  {name: 'ignored', idempotencies: ['ignore']},
]

const listings = [
  {name: 'at once', matches: (seconds: number) => seconds === 0},
  {name: 'later', matches: (seconds: number) => seconds > 0},
] as const

export const knownCases = ['nothing known', 'probed'] as const satisfies readonly Knowledge[]

const columns: ReadonlyArray<{header: string; payers: readonly Payers[]}> = [
  {header: 'one journal', payers: ['one process', 'two processes']},
  {header: 'a lost journal', payers: ['a lost journal']},
  {header: 'two hosts', payers: ['two hosts']},
]

const letters: Readonly<Record<Risk, string>> = {expired: 'a', lost: 'b', hosts: 'c', stated: 'd'}

const describeRisks = (found: ReadonlySet<Risk>) =>
  found.size === 0
    ? 'one'
    : `**two** possible (${[...found]
        .map((risk) => letters[risk])
        .toSorted()
        .join(', ')})`

function describeSettling(knowledge: Knowledge, combinations: readonly Combination[]): string {
  const isSentAgain = new Set(combinations.map((combination) => getTrust(knowledge, combination).mayResend))
  if (isSentAgain.size > 1) return 'sent again if a quote makes only one, else looked for in the list'
  return isSentAgain.has(true) ? 'sent again' : 'looked for in the list'
}

function findRisks(cells: readonly CellCase[]): Set<Risk> {
  return new Set(cells.map(findRisk).filter((risk) => risk !== undefined))
}

// One line for each kind of service, as it must be in the docs.
export function renderServiceTable(): string {
  const headers = ['reused keys', 'a new transaction is listed', 'known', 'an unanswered payment is']
  const head = [...headers, ...columns.map(({header}) => header)]
  const rows = keyClasses.flatMap(({name, idempotencies}) =>
    listings.flatMap((listing) =>
      knownCases.map((knowledge) => {
        const combinations = allCombinations.filter(({idempotency}) => idempotencies.includes(idempotency))
        const pairs = everyFaultCase
          .flatMap((faultCase) => combinations.map((combination) => ({faultCase, combination})))
          .filter(({faultCase, combination}) => listing.matches(getListedAfterSeconds(faultCase, combination)))
        const settling = describeSettling(knowledge, combinations)
        const results = columns.map(({payers}) =>
          describeRisks(findRisks(payers.flatMap((one) => pairs.map((pair) => ({...pair, payers: one, knowledge}))))),
        )
        return [name, listing.name, knowledge === 'probed' ? 'probed' : 'nothing', settling, ...results]
      }),
    ),
  )
  return [head, head.map(() => '---'), ...rows].map((cells) => toLine(cells)).join('\n')
}

const toLine = (cells: readonly string[]) => (cells[0] === '---' ? `|${cells.join('|')}|` : `| ${cells.join(' | ')} |`)
