// Work that waits until a command has printed everything: it must not hold up what the command is for.

const tasks: Array<() => Promise<void>> = []

export const runAfterOutput = (task: () => Promise<void>): void => void tasks.push(task)

// The command has ended already, so a signal ends only this work, with the exit code of the command.
export async function finishAfterOutput(): Promise<void> {
  if (tasks.length === 0) return
  const end = () => process.exit()
  process.prependListener('SIGINT', end)
  process.prependListener('SIGTERM', end)
  try {
    for (let task = tasks.shift(); task; task = tasks.shift()) await task()
  } finally {
    process.off('SIGINT', end)
    process.off('SIGTERM', end)
  }
}
