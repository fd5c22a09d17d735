// The clock of a scripted service. It runs with real time until a test freezes it, and a test can move it forward, so that
// nothing has to wait for a quote to expire, a list to catch up or a late transaction to appear. In virtual time, the time passes
// for svc as well.
import {passVirtualTime} from '../virtual-time.ts'

export class ServiceClock {
  #offsetMs = 0
  #frozenMs: number | undefined

  now(): number {
    return this.#frozenMs ?? Date.now() + this.#offsetMs
  }

  freeze(atMs = this.now()): void {
    this.#frozenMs = atMs
  }

  advance(ms: number): void {
    const isVirtual = passVirtualTime(ms)
    if (this.#frozenMs !== undefined) this.#frozenMs += ms
    else if (!isVirtual) this.#offsetMs += ms
  }

  // Moves this clock alone: it is wrong by so much from now on.
  shift(ms: number): void {
    if (this.#frozenMs === undefined) this.#offsetMs += ms
    else this.#frozenMs += ms
  }
}
