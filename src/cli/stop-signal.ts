// Waits for the signal that stops a server or an endless watch.

const stopSignals = ['SIGINT', 'SIGTERM'] as const

// A signal is the normal end of a server, so the listeners that would exit with an error are removed. A second signal ends
// the process at once. With a limit, the wait ends by itself too.
export function waitForStopSignal(limitMs?: number): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of stopSignals) process.removeAllListeners(signal).once(signal, () => resolve())
    // The timer alone does not keep the process running.
    if (limitMs !== undefined) setTimeout(resolve, limitMs).unref()
  })
}
