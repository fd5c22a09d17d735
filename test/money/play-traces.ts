// Makes traces of the model from seeds, and plays them one after the other.
import {payers, simulate} from '../../model/traces.ts'
import {type Played, TracePlayer} from './play-trace.ts'

const problemsMax = 5
// Spin makes so many traces at once, ahead of the one that is played.
const tracesAhead = 4

export async function playTraces(first: number, count: number): Promise<{played: Played[]; problems: string[]}> {
  const player = new TracePlayer()
  const played: Played[] = []
  const problems: string[] = []
  const make = (seed: number) => {
    const {name, settings} = payers[seed % payers.length] ?? payers[0]
    return {name, trace: simulate(seed, settings)}
  }
  const seeds = Array.from({length: count}, (_, index) => first + index)
  const made = seeds.splice(0, tracesAhead).map(make)
  for (let next = made.shift(); next && problems.length < problemsMax; next = made.shift()) {
    const [seed] = seeds.splice(0, 1)
    if (seed !== undefined) made.push(make(seed))
    try {
      played.push(await player.play(await next.trace, next.name === 'two hosts'))
    } catch (error) {
      problems.push(`${next.name}, ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  await Promise.all(made.map(({trace}) => trace))
  player.close()
  return {played, problems}
}

// How often runs ended how: "1183 with 0, 53 killed".
export function countEndings(played: readonly Played[]): string {
  const groups = Map.groupBy(
    played.flatMap(({endings}) => endings),
    (ending) => ending,
  )
  const endings = [...groups].map(([ending, all]) => `${all.length} ${ending === 'killed' ? ending : `with ${ending}`}`)
  const events = played.reduce((sum, one) => sum + one.events, 0)
  const transactions = played.reduce((sum, {made}) => sum + made, 0)
  return `${played.length} traces, ${events} events, ${transactions} transactions; runs ended: ${endings.toSorted().join(', ')}`
}
