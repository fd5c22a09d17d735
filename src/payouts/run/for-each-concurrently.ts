// Works on several items at a time, in order, until one of them fails.

// How many payments of a file or a batch are made at the same time, if nobody says how many.
export const concurrencyDefault = 16

export async function forEachConcurrently<T>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) {
      await work(item).catch((error: unknown) => {
        next = items.length
        throw error
      })
    }
  }
  await Promise.all(Array.from({length: Math.min(concurrency, items.length)}, worker))
}
