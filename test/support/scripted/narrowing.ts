// One run stands for every service that would have answered the same. A run starts with all kinds of services; where their answers to a
// request differ, it goes on with those that give one of the answers, and another run with the others. So all of them are played, and
// no run twice.
import type {Behaviour} from './behaviour.ts'

export interface ServiceKind {
  behaviour: Behaviour
}

export class Narrowing<Kind extends ServiceKind = ServiceKind> {
  // The kinds that would have answered everything so far as it was answered.
  left: readonly Kind[]
  readonly #path: readonly number[]
  readonly #taken: Array<{answer: number; answers: number}> = []

  // `path` has the answer that is taken at each place where the kinds differ; the first one after its end.
  constructor(kinds: readonly Kind[], path: readonly number[] = []) {
    this.left = kinds
    this.#path = path
  }

  // Goes on with those that give one answer, and returns one of them.
  decide(ask: (behaviour: Behaviour) => unknown): Behaviour {
    const groups = Map.groupBy(this.left, ({behaviour}) => ask(behaviour))
    if (groups.size > 1) {
      const answer = this.#path[this.#taken.length] ?? 0
      this.#taken.push({answer, answers: groups.size})
      this.left = [...groups.values()][answer] ?? []
    }
    const [{behaviour}] = this.left as [Kind]
    return behaviour
  }

  // The path of the run after this one; undefined after the last.
  get next(): number[] | undefined {
    const last = this.#taken.findLastIndex(({answer, answers}) => answer + 1 < answers)
    if (last === -1) return undefined
    return this.#taken.slice(0, last + 1).map(({answer}, index) => (index === last ? answer + 1 : answer))
  }
}

// Plays every kind of service. What `play` returns stands for those that are left.
export async function playEveryKind<Kind extends ServiceKind, T>(
  kinds: readonly Kind[],
  play: (narrowing: Narrowing<Kind>) => Promise<T>,
): Promise<Array<{kinds: readonly Kind[]; played: T}>> {
  const runs: Array<{kinds: readonly Kind[]; played: T}> = []
  for (let path: number[] | undefined = []; path;) {
    const narrowing: Narrowing<Kind> = new Narrowing(kinds, path)
    const played = await play(narrowing)
    runs.push({kinds: narrowing.left, played})
    path = narrowing.next
  }
  const count = runs.reduce((sum, run) => sum + run.kinds.length, 0)
  if (count !== kinds.length) throw new Error(`${count} of ${kinds.length} kinds of services were played`)
  return runs
}
