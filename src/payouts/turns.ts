// Limits how many rows are worked on at the same time. A row that waits for the disk of the journal gives its turn to another one
// meanwhile, so that the connections to the service do not wait for the disk.

// A row that is about to send waits no longer than this for its turn: its quote expires. The limit is exceeded then.
const returnMaxMs = 1_000

export interface Turns {
  // Waits until fewer rows are worked on.
  take(): Promise<void>
  give(): void
  // Gives the turn away while something is waited for, and takes it back before those who have not begun.
  lendDuring<T>(wait: () => Promise<T>): Promise<T>
}

// For callers who limit the rows themselves.
export const unlimitedTurns: Turns = {take: async () => {}, give: () => {}, lendDuring: (wait) => wait()}

export function createTurns(count: number): Turns {
  let free = count
  const returning: Array<() => void> = []
  const beginning: Array<() => void> = []

  function give(): void {
    free++
    if (free > 0) (returning.shift() ?? beginning.shift())?.()
  }
  const takeFree = () => {
    free--
  }
  function take(): Promise<void> {
    if (free > 0) return Promise.resolve(takeFree())
    return new Promise((resolve) => {
      beginning.push(() => {
        takeFree()
        resolve()
      })
    })
  }
  function takeBack(): Promise<void> {
    if (free > 0) return Promise.resolve(takeFree())
    return new Promise((resolve) => {
      const goOn = () => {
        clearTimeout(limit)
        takeFree()
        resolve()
      }
      const limit = setTimeout(() => {
        returning.splice(returning.indexOf(goOn), 1)
        goOn()
      }, returnMaxMs)
      returning.push(goOn)
    })
  }
  return {
    take,
    give,
    async lendDuring(wait) {
      give()
      try {
        return await wait()
      } finally {
        await takeBack()
      }
    },
  }
}
