// Shares reads of the last seconds, so that one page, or a click back, does not send the same request twice.

const keptMs = 15_000
const entriesMax = 200

interface Entry {
  startedMs: number
  reading: Promise<unknown>
}

export function createRecentReads(now: () => number = () => performance.now()) {
  const entries = new Map<string, Entry>()
  return {
    // A failed read is forgotten at once: reloading the page tries again.
    share<T>(parts: readonly unknown[], read: () => Promise<T>): Promise<T> {
      const key = JSON.stringify(parts)
      const known = entries.get(key)
      if (known && now() - known.startedMs < keptMs) return known.reading as Promise<T>
      entries.delete(key)
      const [oldest] = entries.keys()
      if (entries.size >= entriesMax && oldest !== undefined) entries.delete(oldest)
      const reading = read()
      entries.set(key, {startedMs: now(), reading})
      reading.catch(() => {
        if (entries.get(key)?.reading === reading) entries.delete(key)
      })
      return reading
    },
  }
}
