// Waits for the signal that ends what would go on for ever.

const stopSignals = ['SIGINT', 'SIGTERM'] as const

// To be told to stop is how a server ends well, so the listeners for which it is not give way. A second signal ends it at
// once. With a limit it ends by itself as well.
export function waitForStopSignal(limitMs?: number): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.removeAllListeners(signal).once(signal, () => resolve())
    // Nothing waits for the limit itself: what never began is over at once.
    if (limitMs !== undefined) setTimeout(resolve, limitMs).unref()
  })
}
