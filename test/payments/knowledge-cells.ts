// The cells of the matrix about what is known of the service: late commits, errors after the commit, every behaviour of a
// reused key, and transactions that end badly, where keys are unknown and where they are rightly stated as honoured.
import {
  afterCommitCases,
  allCombinations,
  allIdempotencies,
  allKnowledge,
  allPayers,
  areKeysHonoured,
  badOutcomes,
  type CellCase,
  faultCases,
  type FaultCase,
  isAfterExpiry,
  isSingleGuaranteed,
  lateCases,
  type Payers,
} from './matrix.ts'
import {everyFaultCase} from './service-table.ts'

const findCase = (wanted: string) => faultCases.find(({name}) => name === wanted) as FaultCase

// Of the faults of the whole matrix those that lead the protocol down different paths.
const familiarCases = [
  'nothing fails',
  'lose on POST /transactions',
  'hang on POST /transactions',
  'reset on GET /transactions',
  'refuse on POST /quotes',
  'status 400 on POST /transactions',
  'status 409 on POST /transactions',
].map(findCase)

const knowledgeFaultCases = [...familiarCases, ...lateCases, ...afterCommitCases]
const outcomeFaultCases = [...familiarCases.slice(0, 2), ...lateCases.slice(3, 4), ...afterCommitCases.slice(3, 4)]

const lagsSeconds = [...new Set(allCombinations.map(({listLagSeconds}) => listLagSeconds))]
const uses = ['single', 'many'] as const
const expiries = ['accepted', 'refused'] as const

// The whole matrix has the cells in which somebody stated it wrongly.
const isTrue = ({knowledge, combination}: CellCase) => knowledge === 'unknown' || areKeysHonoured(combination)

// Every fault with every behaviour of reused keys and every lag. Honoured keys exclude a second transaction by themselves, so
// they take turns with the lags; so do the uses of a quote with all cells.
function listFaultCells(payers: Payers): CellCase[] {
  const cells: CellCase[] = []
  for (const [faultNumber, faultCase] of knowledgeFaultCases.entries()) {
    for (const [keyNumber, idempotency] of allIdempotencies.entries()) {
      for (const [lagNumber, listLagSeconds] of lagsSeconds.entries()) {
        const turn = faultNumber + keyNumber + lagNumber
        const rest = {idempotency, listLagSeconds, quoteUse: uses[turn % 2] ?? 'single'} as const
        for (const [knownNumber, knowledge] of allKnowledge.entries()) {
          // A commit after the expiry of the quote is one only if the service executes it.
          const expiryTurn = isAfterExpiry(faultCase)
            ? Number(lagNumber === 1)
            : turn + knownNumber + Math.floor(turn / 2)
          const expiredQuotes = expiries[expiryTurn % 2] ?? 'refused'
          const combination = {...rest, expiredQuotes}
          if (areKeysHonoured(combination) && (turn + knownNumber) % lagsSeconds.length !== 0) continue
          cells.push({payers, faultCase, combination, knowledge})
        }
      }
    }
  }
  return cells
}

function listOutcomeCells(payers: Payers): CellCase[] {
  const combinations = allCombinations.filter(
    ({quoteUse, expiredQuotes}) => quoteUse === 'single' && expiredQuotes === 'refused',
  )
  return outcomeFaultCases.flatMap((faultCase, faultNumber) =>
    combinations.flatMap((combination, number): CellCase[] => {
      const outcome = badOutcomes[(faultNumber + number) % badOutcomes.length]
      const knowledge = allKnowledge[Math.floor((faultNumber + number) / badOutcomes.length) % allKnowledge.length]
      return knowledge ? [{payers, faultCase, combination: {...combination, ...outcome}, knowledge}] : []
    }),
  )
}

// Two processes with one journal differ little from one, and two hosts pay twice in most of the cells in which they can, unless
// keys are remembered for a minute: of these a share is played.
function isPlayed(cell: CellCase, index: number): boolean {
  const isSafe = isSingleGuaranteed(cell)
  if (cell.payers === 'two processes' && isSafe) return index % 3 === 0
  const isForgetful = cell.combination.idempotency.startsWith('forget')
  return cell.payers !== 'two hosts' || isSafe || isForgetful || index % 2 === 0
}

export const listKnowledgeCells = (payers: Payers): CellCase[] =>
  [...listFaultCells(payers), ...listOutcomeCells(payers)].filter(isTrue).filter(isPlayed)

// The full product, of which each run of the tests plays a random share, and a soak all.
const dimensions = [
  allPayers,
  allKnowledge,
  everyFaultCase,
  allCombinations,
  [{}, ...badOutcomes],
] as const satisfies readonly (readonly unknown[])[]

export const everyCellCount = dimensions.reduce((product, {length}) => product * length, 1)

export function getCell(number: number): CellCase {
  let rest = number
  const pick = <T>(list: readonly T[]): T => {
    const picked = list[rest % list.length] as T
    rest = Math.floor(rest / list.length)
    return picked
  }
  const [payers, knowledge, faults, combinations, outcomes] = dimensions
  const outcome = pick(outcomes)
  const combination = {...pick(combinations), ...outcome}
  return {combination, faultCase: pick(faults), knowledge: pick(knowledge), payers: pick(payers)}
}
