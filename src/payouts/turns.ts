// Limits how many rows are worked on at the same time. A row that waits for the disk of the journal gives its turn to another one
// meanwhile, so that the connections to the service do not wait for the disk.

// A slower service is not kept waiting by a disk, so no more rows than the limit are begun.
const quickMaxMs = 50
// A row that is about to send waits no longer than this for its turn: its quote expires. The limit is exceeded then.
const returnMaxMs = 1_000

export interface Turns {
  // Waits until fewer rows are worked on.
  take(): Promise<void>
  give(): void
  // Gives the turn away while something is waited for, and takes it back before those who have not begun. As long as the service is
  // not known to be quick, the turn is kept.
  lendDuring<T>(wait: () => Promise<T>): Promise<T>
  // Has to be called with the time that each payment took.
  observe(ms: number): void
}

// For callers who limit the rows themselves.
export const unlimitedTurns: Turns = {
  take: async () => {},
  give: () => {},
  lendDuring: (wait) => wait(),
  observe: () => {},
}

export function createTurns(count: number): Turns {
  let free = count
  let isQuick = false
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
    observe: (ms) => {
      isQuick = ms <= quickMaxMs
    },
    async lendDuring(wait) {
      if (!isQuick) return wait()
      give()
      try {
        return await wait()
      } finally {
        await takeBack()
      }
    },
  }
}
