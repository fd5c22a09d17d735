// The base of every command: it knows the global flags, connects the caller to the service, and prints what a command returns.
import type {Config, Interfaces} from '@oclif/core'
import {Command} from '@oclif/core/command'
import type {Client} from '../client/client.ts'
import {type Page, walkPages} from '../client/paging.ts'
import type {AttemptEvent} from '../client/connection.ts'
import {describeInterruptedWrite} from '../client/next-steps.ts'
import {type ExitCode, badUsage, interrupted} from '../errors.ts'
import {type Caller, findCaller, noCaller} from '../profiles/caller.ts'
import {WriteGate} from '../profiles/write-gate.ts'
import {
  type DryRun,
  type WriteRequest,
  createUnconfirmedError,
  describeWrite,
  needsConfirmation,
  rejectOtherThanSandbox,
} from '../profiles/write-policy.ts'
import {globalFlags, type pagingFlags} from './flags/shared.ts'
import {type Format, chooseColumns, print} from './output/print.ts'
import type {Filter} from './output/filters.ts'
import {printExitNotice, registerExitNotice} from './exit-notice.ts'
import type {Result} from './output/result.ts'
import {writeErr} from './output/streams.ts'
import {isVariableOn, isTyped, resolveFlagSources} from './flags/environment.ts'
import type {View} from './output/view.ts'
import type {TransportOptions} from '../transport.ts'
import type {WatchTarget} from './watch/watch-target.ts'

type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>
type PagingFlags = Interfaces.InferredFlags<typeof pagingFlags>

// Reads that take longer than this before their next try are worth a word to a person.
const retryNoticeMs = 1000

function rejectTwoFormats({json, output}: Partial<GlobalFlags>): void {
  if (!json || output === undefined || output === 'json') return
  throw badUsage(
    `Two formats were asked for: json by --json or SVC_JSON, ${output} by --output or SVC_OUTPUT`,
    'Give one of them; nothing was sent',
  )
}

export abstract class SvcCommand extends Command {
  static override baseFlags = globalFlags

  // By what people read the result. Named here and not only with the result, so that --columns is judged before anything
  // is done or asked for.
  static view?: View<unknown>

  // The exit codes that matter to whoever scripts this command; its help says what they mean.
  static exits?: readonly ExitCode[]

  protected flags: Partial<GlobalFlags> = {}

  // When --timeout is up, on the clock of performance.now(): it runs from the moment at which the service is turned to.
  #deadlineMs = Number.POSITIVE_INFINITY
  #isWatching = false
  readonly #warnings = new Set<string>()
  readonly #gates = new WeakMap<Caller, WriteGate>()

  // oclif would load its configuration a second time for the command that it has just found.
  static override async run<T extends Command>(
    this: new (argv: string[], config: Config) => T,
    argv?: string[],
    options?: Interfaces.LoadOptions,
  ): Promise<ReturnType<T['run']>> {
    // oxlint-disable-next-line no-this-in-static -- the class that was asked to run is `this`.
    const command = new this(argv ?? [], options as Config) as T & {_run<R>(): Promise<R>}
    return command._run()
  }

  abstract override run(): Promise<Result>

  override async parse<
    F extends Interfaces.OutputFlags<F>,
    B extends Interfaces.OutputFlags<B>,
    A extends Interfaces.OutputArgs<A>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    // oclif would take a missing argument from standard input, where a script's data or nothing at all stands.
    for (const argument of Object.values<{ignoreStdin?: boolean}>(options?.args ?? {})) argument.ignoreStdin = true
    const given = options ?? (this.ctor as Interfaces.Input<F, B, A>)
    const flags = resolveFlagSources({...given.baseFlags, ...given.flags} as never, argv ?? this.argv)
    const parsed = await super.parse<F, B, A>({...given, flags}, argv)
    this.flags = parsed.flags as Partial<GlobalFlags>
    rejectTwoFormats(this.flags)
    const isJson = this.format === 'json' || this.format === 'jsonl'
    process.once('exit', (code) => printExitNotice(code, isJson))
    const isProfileTyped = isTyped('profile', globalFlags.profile, argv ?? this.argv)
    if (this.id?.startsWith('sandbox:') && isProfileTyped) rejectOtherThanSandbox(this.flags.profile)
    const {view} = this.ctor as typeof SvcCommand
    if (view) chooseColumns(view, this.columns, false)
    return parsed
  }

  protected override async _run<T>(): Promise<T> {
    await this.init()
    const result = await this.run()
    await this.show(result)
    if (result?.failure) throw result.failure
    return result as T
  }

  protected get format(): Format {
    return this.flags.json ? 'json' : (this.flags.output ?? 'table')
  }

  protected get columns(): string[] | undefined {
    return this.flags.columns?.split(',').map((name) => name.trim())
  }

  // Whether there is a person who can be asked. A machine format says that a script is reading.
  protected get isInteractive(): boolean {
    return process.stdin.isTTY && process.stderr.isTTY && !this.flags['no-input'] && this.format === 'table'
  }

  protected notice(text: string): void {
    if (!this.flags.quiet) writeErr(`${text}\n`)
  }

  // What somebody has to know of money that moved otherwise than was meant, also where nobody wants to hear of success.
  protected alert(text: string): void {
    writeErr(`Warning: ${text}.\n`)
  }

  // What a command returns is shown by itself; this is for what has to be seen before it goes on.
  protected async show(result: Result): Promise<void> {
    await print(result, {format: this.format, columns: this.columns, notice: (text) => this.notice(text)})
  }

  // Refuses with everything that is missing at once, so that a script is mended in one go.
  protected requireAll(missing: ReadonlyArray<string | false | undefined>): void {
    const names = missing.filter((name) => typeof name === 'string')
    if (names.length === 0) return
    throw badUsage(`Missing ${names.join(', ')}`, `See \`svc ${this.id?.replaceAll(':', ' ')} --help\``)
  }

  // What a write returns: with --quiet it says nothing when it succeeds.
  protected finishWrite(result: Result): Result {
    if (!this.flags.quiet) return result
    if (result?.failure) throw result.failure
    return undefined
  }

  // Throws if the profile forbids the write, or if it needs a yes that was not given and nobody can be asked. A command
  // that reads first calls this before it reads, so that a rejected write sends nothing at all.
  protected checkWrite(caller: Caller, write: WriteRequest, yes: boolean): void {
    this.#gateFor(caller).check(write)
    if (yes || !needsConfirmation(caller, write) || this.isInteractive) return
    throw createUnconfirmedError(caller, write)
  }

  // Checks the write, asks a person where it needs a yes, and lets it pass the gate of this caller's client. Without this
  // the client does not send it. `words` say what will happen; `always` asks outside live too, for what cannot be undone.
  protected async authorizeWrite(
    caller: Caller,
    write: WriteRequest,
    yes: boolean,
    {words, always}: {words?: string; always?: boolean} = {},
  ): Promise<void> {
    this.checkWrite(caller, write, yes)
    if (!yes && (needsConfirmation(caller, write) || (always && this.isInteractive))) {
      if (words) writeErr(`${words}\n`)
      const {askYes} = await import('./prompts/ask.ts')
      if (!(await askYes(`Send ${describeWrite(caller, write)}?`))) throw interrupted()
    }
    this.#gateFor(caller).authorize(write, true)
  }

  #gateFor(caller: Caller): WriteGate {
    const gate = this.#gates.get(caller) ?? new WriteGate(caller, () => this.#dryRun)
    this.#gates.set(caller, gate)
    return gate
  }

  get #dryRun(): DryRun | undefined {
    if ('dry-run' in this.flags && this.flags['dry-run'] === true) return 'flag'
    return isVariableOn(process.env['SVC_DRY_RUN']) ? 'variable' : undefined
  }

  protected async caller(): Promise<Caller> {
    const caller = findCaller(this.flags.profile)
    if (caller) return caller
    if (!this.isInteractive) throw noCaller()
    const {offerProfile: offerCaller} = await import('./prompts/offer-profile.ts')
    return offerCaller()
  }

  protected async client(known?: Caller, besides: Partial<Omit<TransportOptions, 'gate'>> = {}): Promise<Client> {
    const {connect} = await import('../transport.ts')
    const caller = known ?? (await this.caller())
    if (this.flags.timeout !== undefined) this.#deadlineMs = performance.now() + this.flags.timeout
    return connect(caller, {
      userAgent: `svc/${this.config.version}`,
      requestTimeoutMs: this.flags['request-timeout'],
      timeoutMs: this.flags.timeout,
      onAttempt: (event) => this.#reportTry(event),
      onWrite: (write) => registerExitNotice(() => describeInterruptedWrite(write)),
      onContractViolation: (endpoint, [first, ...others]) => {
        const more = others.length > 0 ? ` (and ${others.length} more)` : ''
        this.#warnOnce(`the reply to ${endpoint} breaks the interface: ${first?.path} ${first?.message}${more}`)
      },
      onNotRemembered: (error) => {
        if (this.flags.verbose) writeErr(`could not remember the path that worked: ${String(error)}\n`)
      },
      ...besides,
      gate: this.#gateFor(caller),
    })
  }

  // A list of the service, walked as the paging flags say, and filtered here by what the service cannot.
  protected list<T, Q>(
    ask: (query: Q, ahead?: (token: string) => void) => Promise<Page>,
    query: Q,
    flags: Partial<PagingFlags>,
    key: string,
    view: View<T>,
    filter?: Filter,
  ): Result {
    const {all, limit, 'page-size': pageSize, 'page-token': pageToken} = flags
    const paging = {all, limit, pageSize, pageToken, filter: filter?.keep}
    const pages = walkPages((page, ahead) => ask({...query, ...page}, ahead), key, paging)
    return {kind: 'list', key, view, pages, filter}
  }

  // Follows a thing to its end, telling of each change. What it returns is the last state, and how that ends the command.
  protected async watch(target: WatchTarget<object>): Promise<Result> {
    const {watch: follow} = await import('./watch/watch.ts')
    const {format, flags} = this
    const audience = {format, quiet: flags.quiet ?? false, notice: (text: string) => this.notice(text)}
    const limit = flags.timeout === undefined ? undefined : {timeoutMs: flags.timeout, deadlineMs: this.#deadlineMs}
    this.#isWatching = true
    return follow(target, audience, limit)
  }

  // A wait reads the same thing many times, and one word about what is wrong with it is enough.
  #warnOnce(warning: string): void {
    if (this.#warnings.has(warning)) return
    this.#warnings.add(warning)
    this.notice(`Warning: ${warning}.`)
  }

  #reportTry({method, path, outcome, elapsedMs, retryInMs}: AttemptEvent): void {
    if (this.flags.verbose) {
      const next = retryInMs === undefined ? '' : `, again in ${Math.round(retryInMs)} ms`
      writeErr(`${method} ${path} → ${outcome} in ${Math.round(elapsedMs)} ms${next}\n`)
    } else if (retryInMs !== undefined && retryInMs >= retryNoticeMs && process.stderr.isTTY) {
      if (this.#isWatching && this.#warnings.has(outcome)) return
      this.#warnings.add(outcome)
      this.notice(`The service answered ${outcome}; trying again in ${Math.ceil(retryInMs / 1000)} s.`)
    }
  }
}
