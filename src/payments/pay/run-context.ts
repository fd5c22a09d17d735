// The context of a run of `svc pay`, which asks a person in between. It is opened once, when it is first needed, and closed once.
import {startProgress} from '../../cli/output/streams.ts'
import type {Client} from '../../client/client.ts'
import type {Connection} from '../../client/connection.ts'
import type {Caller} from '../../profiles/caller.ts'
import type {ServiceTraits} from '../../profiles/service-knowledge.ts'
import type {Journal} from '../journal/journal.ts'
import {openJournal} from '../journal/open-journal.ts'
import {changedNotice, describeSettling, waitingNotice} from './notices.ts'
import {type OpenPaymentContext, journalWaitMinMs, openPaymentContext, waitDefaultMs} from './open-context.ts'

interface RunClientOptions {
  onReply: NonNullable<Connection['onReply']>
  deadline: {readonly atMs?: number | undefined}
}

export interface RunSettings {
  caller: Caller
  traits: ServiceTraits
  flags: {timeout?: number | undefined; wait: boolean}
  terminal: {notice: (text: string) => void; alert: (text: string) => void}
  createClient: (options: RunClientOptions) => Promise<Client>
}

export class RunContext {
  // By when requests must have their answers.
  readonly deadline: {atMs?: number | undefined} = {}
  readonly #settings: RunSettings
  #waitEndsAt = 0
  #progress: ReturnType<typeof startProgress> | undefined
  #journal: Promise<Journal> | undefined
  #context: Promise<OpenPaymentContext> | undefined

  constructor(settings: RunSettings) {
    this.#settings = settings
  }

  openJournal(): Promise<Journal> {
    const waitMs = () => Math.max(journalWaitMinMs, this.#remainingMs())
    this.#journal ??= openJournal(this.#settings.traits.journal, {waitMs})
    return this.#journal
  }

  // From now on --timeout counts anew. While a person is asked it does not count: they may take longer than the service is given.
  open({isAsking = false} = {}): Promise<OpenPaymentContext> {
    const limitMs = isAsking ? undefined : this.#settings.flags.timeout
    this.deadline.atMs = limitMs && performance.now() + limitMs
    this.#waitEndsAt = performance.now() + (limitMs ?? waitDefaultMs)
    this.#context ??= this.#connect()
    return this.#context
  }

  async close(): Promise<void> {
    this.#progress?.end()
    const journal = await this.#journal?.catch(() => undefined)
    await journal?.close()
  }

  #connect(): Promise<OpenPaymentContext> {
    const {caller, traits, flags, terminal, createClient} = this.#settings
    const progress = startProgress()
    this.#progress = progress
    return openPaymentContext({
      controls: caller,
      traits,
      timeoutMs: flags.timeout,
      waits: flags.wait,
      connect: (onReply) => createClient({onReply, deadline: this.deadline}),
      openJournal: () => this.openJournal(),
      remainingMs: () => this.#remainingMs(),
      onUnknown: () => terminal.notice(describeSettling(flags.wait)),
      onHeld: (payment, holder) => terminal.notice(waitingNotice(payment, holder)),
      onContentChanged: (payment, changes) => terminal.alert(changedNotice(payment, changes)),
      onListProgress: (count) => progress.report(`${count} of the customer’s transactions read…`),
    })
  }

  #remainingMs(): number {
    return Math.max(0, this.#waitEndsAt - performance.now())
  }
}
