// Numbers that are the same for the same seed (mulberry32).
export interface Random {
  // From 0 to 1.
  next: () => number
  // A whole number from 0 to count - 1.
  below: (count: number) => number
  pick: <T>(list: readonly T[]) => T
}

export function createGenerator(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export function createRandom(seed: number): Random {
  const next = createGenerator(seed)
  const below = (count: number) => Math.floor(next() * count)
  return {next, below, pick: (list) => list[below(list.length)] as never}
}
