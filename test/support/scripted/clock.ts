// The clock of a scripted service. It runs with real time until a test freezes it, and a test can move it forward, so that
// nothing has to wait for a quote to expire, a list to catch up or a late transaction to appear. In virtual time, the time passes
// for svc as well.
import fs from 'node:fs'

// Lets time pass for svc, while its time is virtual.
export const virtualTime: {pass?: (ms: number) => void} = {}

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
    virtualTime.pass?.(ms)
    if (this.#frozenMs !== undefined) this.#frozenMs += ms
    else if (!virtualTime.pass) this.#offsetMs += ms
  }

  // Moves this clock alone: it is wrong by so much from now on.
  shift(ms: number): void {
    if (this.#frozenMs === undefined) this.#offsetMs += ms
    else this.#frozenMs += ms
  }
}

// A clock that stands still, and that other processes read and move: its time is in a file.
export class FileClock extends ServiceClock {
  readonly #file: string

  constructor(file: string) {
    super()
    this.#file = file
  }

  override now(): number {
    return Number(fs.readFileSync(this.#file, 'utf8'))
  }

  override freeze(atMs: number): void {
    fs.writeFileSync(this.#file, String(atMs))
  }

  override advance(ms: number): void {
    this.freeze(this.now() + ms)
  }
}
