// Notices about requests: every attempt with --verbose; otherwise long retries, and replies that break the contract.
import type {AttemptEvent} from '../client/connection.ts'
import {type OtherShape, describeOtherShape} from '../client/read-reply.ts'
import type {ShapeProblem} from '../contract/shape.ts'
import {getTraits} from './output/outputs.ts'
import {writeErrLines} from './output/streams.ts'

// A shorter delay before a retry needs no notice.
const retryNoticeMs = 1000

// A web page of a proxy can be long.
const bodyShownMax = 10_000

export interface NoticeSettings {
  // Read when a notice is due, because the flags are parsed after the command is created.
  isVerbose: () => boolean
  notice: (text: string) => void
}

export class RequestNotices {
  // A watch reads the same item many times, so each failure is mentioned only once.
  isWatching = false
  readonly #settings: NoticeSettings
  readonly #printed = new Set<string>()

  constructor(settings: NoticeSettings) {
    this.#settings = settings
  }

  reportAttempt({method, path, outcome, elapsedMs, retryInMs}: AttemptEvent): void {
    if (this.#settings.isVerbose()) {
      const next = retryInMs === undefined ? '' : `, again in ${Math.round(retryInMs)} ms`
      writeErrLines([`${method} ${path} → ${outcome} in ${Math.round(elapsedMs)} ms${next}`])
    } else if (retryInMs !== undefined && retryInMs >= retryNoticeMs && getTraits('stderr').isTTY) {
      if (this.isWatching && this.#printed.has(outcome)) return
      this.#printed.add(outcome)
      this.#settings.notice(`The service answered ${outcome}; trying again in ${Math.ceil(retryInMs / 1000)} s.`)
    }
  }

  reportContractViolation(endpoint: string, [first, ...others]: readonly ShapeProblem[]): void {
    const more = others.length > 0 ? ` (and ${others.length} more)` : ''
    this.#warnOnce(`the reply to ${endpoint} breaks the interface: ${first?.path} ${first?.message}${more}`)
  }

  reportOtherShape(shape: OtherShape): void {
    this.#warnOnce(describeOtherShape(shape))
  }

  // The body of a reply that is an error or that cannot be read.
  reportBody(text: string): void {
    if (!this.#settings.isVerbose()) return
    const rest = text.length - bodyShownMax
    const shown = `${text.slice(0, bodyShownMax).trimEnd()}${rest > 0 ? `… (${rest} more characters)` : ''}`
    // Further lines are indented, so that none of them looks like one of ours.
    writeErrLines(shown.split('\n').map((line, index) => (index === 0 ? line : `  ${line}`)))
  }

  #warnOnce(warning: string): void {
    if (this.#printed.has(warning)) return
    this.#printed.add(warning)
    this.#settings.notice(`Warning: ${warning}.`)
  }

  reportForgottenPath(error: unknown): void {
    if (this.#settings.isVerbose()) writeErrLines([`could not remember the path that worked: ${String(error)}`])
  }
}
