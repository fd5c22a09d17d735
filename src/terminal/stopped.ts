// Waits until whoever started svc tells it to stop, for commands of which that is the good end.
const stopSignals = ['SIGINT', 'SIGTERM'] as const

// To be told to stop is how the command ends well, so the listeners for which it is not give way. A second signal ends it
// at once.
export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.removeAllListeners(signal).once(signal, () => resolve())
  })
}
