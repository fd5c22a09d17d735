// What a worker counts: for its reports to the fleet, its health, and its metrics.
const rateWindowMs = 10_000

export class WorkStatistics {
  inFlight: () => number = () => 0
  // When the database was last heard of, on the clock of performance.now().
  contactMs = performance.now()
  ended = 0
  retries = 0
  takeovers = 0
  readonly #endedAt: number[] = []

  addEnded(): void {
    this.ended += 1
    this.#endedAt.push(performance.now())
  }

  addRetry(): void {
    this.retries += 1
  }

  addTakeover(): void {
    this.takeovers += 1
  }

  // Over the last seconds.
  computeRate(): number {
    const now = performance.now()
    while (this.#endedAt.length > 0 && now - (this.#endedAt[0] ?? now) > rateWindowMs) this.#endedAt.shift()
    return this.#endedAt.length / (rateWindowMs / 1000)
  }

  // Returns what was counted since the last call.
  #reported = {ended: 0, retries: 0, takeovers: 0}
  drain(): Record<string, number> {
    const {ended, retries, takeovers} = this
    const before = this.#reported
    this.#reported = {ended, retries, takeovers}
    return {rows: ended - before.ended, retries: retries - before.retries, takeovers: takeovers - before.takeovers}
  }
}
