// The payment matrix: never two transactions where the rule excludes them, and two in some cell for every reason that the rule
// names. Each run stands for all services that would have answered as it was answered.
import {expect, it} from 'vitest'
import {pickSpelling} from '../support/scripted/behaviour.ts'
import {playEveryKind} from '../support/scripted/narrowing.ts'
import {isWhole} from '../support/share.ts'
import {withoutStackTraces} from '../support/stack-traces.ts'
import {playCell} from './cells.ts'
import {pickScenes} from './crashes.ts'
import {
  type FaultCase,
  type Knowledge,
  type Payers,
  allKnowledge,
  allPayers,
  badOutcomes,
  combinations,
  describeCell,
  everyFaultCase,
  findRisk,
  getTrust,
  toKinds,
} from './services.ts'
import {Stage} from './stage.ts'

// A stage is replaced after this many cells, so that its journals stay small.
const cellsPerStage = 200
// What new transactions become is looked at with faults that lead the protocol down different paths, and with all of them in a soak.
const outcomeCases = [
  'nothing fails',
  'lose on POST /transactions',
  'reset, and a commit 90 s later',
  'status 422 after the commit',
]
const kinds = toKinds(combinations)
const listKinds = ({name}: FaultCase) => [
  kinds,
  ...badOutcomes
    .filter((_, index) => isWhole || outcomeCases[index] === name)
    .map((outcome) => toKinds(combinations.map((one) => ({...one, ...outcome})))),
]

// One process meets every fault. What two of them, or one without its journal, do then depends on the steps that were taken before.
function listFaultCases(payers: Payers, knowledge: Knowledge): Promise<readonly FaultCase[]> | readonly FaultCase[] {
  if (payers === 'one process' || payers === 'a lost journal') return everyFaultCase
  return (pickedCases[knowledge] ??= pickFaultCases(knowledge))
}

const pickedCases: Partial<Record<Knowledge, Promise<readonly FaultCase[]>>> = {}

async function pickFaultCases(knowledge: Knowledge): Promise<readonly FaultCase[]> {
  const run = {waitMs: 5_000, ...getTrust(knowledge)}
  const scenes = everyFaultCase.map((fault) => ({name: fault.name, fault, run, combinations}))
  return (await pickScenes(scenes)).map(({scene}) => scene.fault)
}

class Matrix {
  readonly #payers: Payers
  #stage: Stage | undefined
  #journals: readonly [string, string] = ['', '']
  // Groups of runs that start with the same kinds of services. Each group has the next spelling.
  #groups = 0
  runs = 0
  cells = 0
  readonly problems: string[] = []
  // The reasons for which the rule says that there may be two transactions, and those for which there were.
  readonly possible = new Set<string>()
  readonly seen = new Set<string>()

  constructor(payers: Payers) {
    this.#payers = payers
  }

  async play(): Promise<void> {
    for (const knowledge of allKnowledge) {
      for (const faultCase of await listFaultCases(this.#payers, knowledge)) {
        const situation = {payers: this.#payers, faultCase, knowledge}
        for (const all of listKinds(faultCase)) {
          const spelling = pickSpelling(this.#groups++)
          const played = await playEveryKind(all, (narrowing) => {
            const stage = this.#getStage()
            stage.spelling = spelling
            return playCell(stage, situation, narrowing, `cell-${this.runs++}`, this.#journals)
          })
          for (const {
            kinds: left,
            played: {made, problems},
          } of played) {
            this.cells += left.length
            for (const {combination} of left) {
              const risk = findRisk({...situation, combination})
              const reason = `${risk}, keys ${combination.idempotency}`
              if (risk) this.possible.add(reason)
              if (risk && made > 1) this.seen.add(reason)
            }
            const [{combination}] = left as [(typeof left)[number]]
            const where = `${describeCell({...situation, combination})}, spelling ${spelling}`
            this.problems.push(...problems.map((problem) => `${where}, and ${left.length - 1} more: ${problem}`))
          }
        }
      }
    }
    this.#stage?.close()
  }

  #getStage(): Stage {
    if (this.#stage && this.runs % cellsPerStage !== 0) return this.#stage
    this.#stage?.close()
    this.#stage = new Stage('none')
    this.#journals = [this.#stage.journal(), this.#stage.journal()]
    return this.#stage
  }
}

it.each(allPayers)(
  'the matrix of %s has one transaction, or none and says so, except for the documented reasons',
  async (payers) => {
    const matrix = new Matrix(payers)
    await withoutStackTraces(() => matrix.play())
    process.stderr.write(`${payers}: ${matrix.cells} cells in ${matrix.runs} runs\n`)
    expect(matrix.problems).toEqual([])
    expect([...matrix.seen].toSorted()).toEqual([...matrix.possible].toSorted())
  },
)
