// The base class of every command: it parses flags, connects to the service, and prints what the command returns.
import type {Config, Interfaces} from '@oclif/core'
import {Command} from '@oclif/core/command'
import type {OpenPolicyJournal} from '../bind-policy.ts'
import type {Client} from '../client/client.ts'
import type {AttemptEvent} from '../client/connection.ts'
import {describeInterruptedWrite} from '../client/failures.ts'
import {type Page, walkPages} from '../client/paging.ts'
import type {ShapeProblem} from '../contract/shape.ts'
import {type WriteRequest, isConsequential} from '../controls/decide.ts'
import {type ExitCode, badUsage} from '../errors.ts'
import {type Caller, findCaller, noCaller} from '../profiles/caller.ts'
import {sandboxAddress} from '../profiles/profiles.ts'
import {
  WriteGate,
  createUnconfirmedError,
  isChange,
  needsConfirmation,
  rejectOtherThanSandbox,
} from '../profiles/write-gate.ts'
import type {TransportOptions} from '../transport.ts'
import type {WarningPolicy} from './body/reject-problems.ts'
import {toSvcConfig} from './config.ts'
import type {WriteConsent} from './confirm-write.ts'
import {registerExitNotice, startExitNotices} from './exit.ts'
import {isTyped, isVariableOn, resolveFlagSources} from './flags/environment.ts'
import {globalFlags, type pagingFlags} from './flags/shared.ts'
import type {Finder} from './ids/finder.ts'
import type {Filter} from './output/filters.ts'
import {chooseFormat, isOutputAsked, prepareOutput, splitColumns} from './output/output-flags.ts'
import {getTraits, isAtTerminal, keepGoingWithoutReader, writeErrLines} from './output/streams.ts'
import {type Format, print} from './output/print.ts'
import {isReshapeError} from './output/formats.ts'
import type {ListResult, Result} from './output/result.ts'
import type {View} from './output/view.ts'
import type {WatchTarget} from './watch/watch.ts'
import {suggestProfile} from '../values/text.ts'

// A policy that was read more recently than this is not read again before a write is sent.
const policyAgeMaxMs = 2_000

// How to connect for what is only a convenience, such as names: one attempt, not for long, and without a word about what the
// service answers.
export const briefReads = {retriesReads: false, requestTimeoutMs: 5000, onContractViolation: () => {}}

type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>
type PagingFlags = Interfaces.InferredFlags<typeof pagingFlags>

export abstract class SvcCommand extends Command {
  static override baseFlags = globalFlags

  // The view of the result. It is declared here too, so that --columns is validated before anything is sent.
  static view?: View<unknown>

  // The exit codes that scripts using this command should know; its help lists them.
  static exits?: readonly ExitCode[]

  protected flags: Partial<GlobalFlags> = {}

  // When --timeout ends, on the clock of performance.now(). It starts when the command first
  // connects to the service, and anew for a connection after which a person may have been asked.
  #deadlineMs = Number.POSITIVE_INFINITY
  readonly #requestNotices = createRequestNotices(
    (text) => this.notice(text),
    () => this.flags.verbose ?? false,
  )
  // The profile that a person chose, since a command may ask for its caller several times.
  #offered: Promise<Caller> | undefined
  readonly #gates = new WeakMap<Caller, WriteGate>()
  readonly #boundAtMs = new WeakMap<Caller, number>()

  // Replaces oclif's own, which would load the configuration a second time.
  static override async run<T extends Command>(
    this: new (argv: string[], config: Config) => T,
    argv?: string[],
    options?: Interfaces.LoadOptions,
  ): Promise<ReturnType<T['run']>> {
    // oxlint-disable-next-line no-this-in-static -- `this` is the class of the command.
    const command = new this(argv ?? [], options as Config) as T & {_run<R>(): Promise<R>}
    return command._run()
  }

  abstract override run(): Promise<Result>

  override async parse<
    F extends Interfaces.OutputFlags<F>,
    B extends Interfaces.OutputFlags<B>,
    A extends Interfaces.OutputArgs<A>,
  >(options?: Interfaces.Input<F, B, A>, argv?: string[]): Promise<Interfaces.ParserOutput<F, B, A>> {
    // oclif would read a missing argument from standard input, which may be a script's data.
    for (const argument of Object.values<{ignoreStdin?: boolean}>(options?.args ?? {})) argument.ignoreStdin = true
    const input = options ?? (this.ctor as Interfaces.Input<F, B, A>)
    const flags = resolveFlagSources({...input.baseFlags, ...input.flags}, argv ?? this.argv) as Interfaces.FlagInput<F>
    const parsed = await super.parse<F, B, A>({...input, flags}, argv)
    this.flags = parsed.flags as Partial<GlobalFlags>
    await this.#validateGlobalFlags(argv ?? this.argv)
    if (this.#capture) return parsed
    startExitNotices(this.flags.json || this.flags.output === 'json' || this.flags.output === 'jsonl')
    return parsed
  }

  async #validateGlobalFlags(argv: readonly string[]): Promise<void> {
    await prepareOutput(this.flags, {
      isFormatTyped: isTyped('output', globalFlags.output, argv),
      view: (this.ctor as typeof SvcCommand).view,
      notice: (text) => this.notice(text),
    })
    const isProfileTyped = isTyped('profile', globalFlags.profile, argv)
    suggestProfile(isProfileTyped ? this.flags.profile : undefined)
    if (this.id?.startsWith('sandbox:') && isProfileTyped) rejectOtherThanSandbox(this.flags.profile)
  }

  protected override async _run<T>(): Promise<T> {
    const result = await this.run()
    if (this.#capture) return result as T
    try {
      await this.show(result)
    } catch (error) {
      // What happened at the service matters more than an expression that does not fit it.
      if (!result?.failure || !isReshapeError(error)) throw error
      this.alert((error as Error).message)
    }
    if (result?.failure) throw result.failure
    return result as T
  }

  // Set if another command runs this one, and prints nothing of it.
  get #capture() {
    return toSvcConfig(this.config).capture
  }

  protected get format(): Format {
    return chooseFormat(this.flags)
  }

  protected get columns(): string[] | undefined {
    return splitColumns(this.flags)
  }

  // Whether the command may prompt. A machine format means that a script reads the output.
  protected get isInteractive(): boolean {
    return isAtTerminal() && !this.flags['no-input'] && this.format === 'table' && !this.#capture
  }

  // Whether the output is a table on a screen, where a person reads it. The reader of a pipe may be a script.
  protected get isOnScreen(): boolean {
    return this.format === 'table' && getTraits('stdout').isTTY === true && !this.#capture
  }

  // Whether the payees of a list are named: for a person, or if --columns asks for them. Names take a read for each customer.
  protected get showsPayees(): boolean {
    return this.isOnScreen || this.columns?.some((name) => name.toLowerCase() === 'payee') === true
  }

  // One line, or several.
  protected notice(text: string | readonly string[]): void {
    if (this.#capture) this.#capture.notices.push(...[text].flat())
    else if (!this.flags.quiet) writeErrLines([text].flat())
  }

  // A notice that --quiet does not suppress: money moved in a way that was not intended.
  protected alert(text: string, ...details: readonly string[]): void {
    const lines = [`Warning: ${text}`, ...details]
    if (this.#capture) return void this.#capture.notices.push(...lines)
    return writeErrLines([...lines.slice(0, -1), `${lines.at(-1)}.`])
  }

  // How a command treats what svc finds beyond the interface. A dry run asks nothing.
  protected warningPolicy(flags: {'accept-warnings'?: boolean; 'dry-run'?: boolean}): WarningPolicy {
    return {
      isAccepted: flags['accept-warnings'] ?? false,
      canAsk: this.isInteractive && !flags['dry-run'],
      allowsUnknownFields: allowsUnknownFields(this.flags),
      notice: (text) => this.notice(text),
    }
  }

  // Prints a result before the command ends. What `run` returns is printed without this.
  protected async show(result: Result): Promise<void> {
    return print(result, {format: this.format, columns: this.columns, notice: (text) => this.notice(text)})
  }

  // Prints the result and, to a person who reads it, notes below it. What is returned is still to be printed.
  protected async showWithNotes(result: Result, notes: readonly string[]): Promise<Result> {
    const isRead = this.isInteractive && process.stdout.isTTY && !this.columns
    if (!isRead || !result || result.failure || notes.length === 0) return result
    await this.show(result)
    for (const note of notes) this.notice(note)
    return undefined
  }

  // Throws an error that names everything that is missing, so that a script can be corrected in one go.
  protected requireAll(missing: ReadonlyArray<string | false | undefined>): void {
    const names = missing.filter((name) => typeof name === 'string')
    if (names.length > 0) this.rejectMissing(names)
  }

  protected rejectMissing(names: readonly string[]): never {
    throw badUsage(`Missing ${names.join(', ')}`, `See \`svc ${this.id?.replaceAll(':', ' ')} --help\``)
  }

  // With --quiet a successful write prints nothing, unless a format was asked for.
  protected get isSilent(): boolean {
    return this.flags.quiet === true && !isOutputAsked(this.flags)
  }

  // Prints what a write made, with notes for a person. What is returned is still to be printed.
  protected async finishWrite(result: Result, notes: readonly string[] = []): Promise<Result> {
    if (!this.#capture) keepGoingWithoutReader()
    if (!this.isSilent) return this.showWithNotes(result, notes)
    if (result?.failure) throw result.failure
    return undefined
  }

  // Throws if the profile forbids the write, or if it needs a confirmation that cannot be asked for. A command that reads
  // first calls this before it reads, so that a rejected write sends nothing at all.
  protected checkWrite(caller: Caller, write: WriteRequest, yes: boolean): void {
    this.#gateFor(caller).check(write)
    if (yes || !needsConfirmation(caller, write) || this.isInteractive) return
    throw createUnconfirmedError(caller, write)
  }

  // Sends a write, always in this order: the policy is read, the write is checked, a person is asked, the gate of the caller's
  // client lets it pass, and it is sent.
  protected async write<T>(
    caller: Caller,
    write: WriteRequest,
    consent: WriteConsent,
    send: () => Promise<T>,
  ): Promise<T> {
    await this.authorize(caller, write, consent)
    return send()
  }

  // All of a write but sending it, for a feature that asks by itself and sends later. Without this the client does not send it. A
  // person is asked if it moves money or touches a rule, in the sandbox as on live.
  protected async authorize(caller: Caller, write: WriteRequest, {yes = false, ask}: WriteConsent): Promise<void> {
    // A command that checks limits or approvals itself has to know those of the policy.
    if (!caller.binding && !write.checksLimits && !write.checksApprovals) await this.bind(caller)
    this.checkWrite(caller, write, yes)
    if (!yes && this.isInteractive && isConsequential(write)) {
      if (!ask) throw new Error(`${this.id} has no question for ${write.method} ${write.path}`)
      const {confirmWrite} = await import('./confirm-write.ts')
      await confirmWrite(caller, ask)
    }
    // The policy may have changed while a person answered.
    if (performance.now() - (this.#boundAtMs.get(caller) ?? 0) > policyAgeMaxMs) await this.bind(caller)
    this.#gateFor(caller).authorize(write)
    if (!isChange(write)) return
    const folder = toSvcConfig(this.config).programFolder
    if (folder !== undefined) (await import('./hold-program.ts')).holdProgram(folder)
    if (!this.#capture) keepGoingWithoutReader()
  }

  // The caller of a command that writes, bound to the policy of its service as it is now. What is written for any other caller is
  // refused. A command that says what it will write is refused before it reads anything.
  protected async writer(write?: WriteRequest, yes = false): Promise<Caller> {
    const caller = await this.bind(await this.caller())
    if (write) this.checkWrite(caller, write, yes)
    return caller
  }

  protected async bind(caller: Caller, openJournal?: OpenPolicyJournal): Promise<Caller> {
    const {bindToPolicy} = await import('../bind-policy.ts')
    this.#boundAtMs.set(caller, performance.now())
    return bindToPolicy(caller, openJournal)
  }

  #gateFor(caller: Caller): WriteGate {
    const gate = this.#gates.get(caller) ?? new WriteGate(caller, () => isDryRun(this.flags))
    this.#gates.set(caller, gate)
    return gate
  }

  protected async caller(): Promise<Caller> {
    const caller = findCaller(this.flags.profile)
    if (caller) return caller
    if (!this.isInteractive) throw noCaller()
    const {offerProfile} = await import('./prompts/offer-profile.ts')
    this.#offered ??= offerProfile()
    return this.#offered
  }

  protected async client(known?: Caller, options: Partial<Omit<TransportOptions, 'gate'>> = {}): Promise<Client> {
    const {connect} = await import('../transport.ts')
    const caller = known ?? (await this.caller())
    const {timeout} = this.flags
    const isFirst = this.#deadlineMs === Number.POSITIVE_INFINITY
    if (timeout !== undefined && (isFirst || (this.isInteractive && options !== briefReads)))
      this.#deadlineMs = performance.now() + timeout
    const shared = timeout === undefined || 'timeoutMs' in options ? undefined : {atMs: this.#deadlineMs}
    return connect(caller, {
      userAgent: `svc/${this.config.version}`,
      requestTimeoutMs: this.flags['request-timeout'],
      allowsUnknownFields: allowsUnknownFields(this.flags),
      onWrite: (write) => registerExitNotice(() => describeInterruptedWrite(write)),
      ...this.#requestNotices,
      ...options,
      deadline: options.deadline ?? shared,
      gate: this.#gateFor(caller),
    })
  }

  // What a command lends to those who name customers and payees.
  protected nameSource(known?: Caller) {
    const notice = (text: string) => this.notice(text)
    return {isOnScreen: this.isOnScreen, connect: () => this.client(known, briefReads), notice}
  }

  // For features that observe every reply, such as payments, which read the service's clock from its Date header.
  protected connector(caller: Caller, options: Partial<Omit<TransportOptions, 'gate'>> = {}) {
    return (onReply: NonNullable<TransportOptions['onReply']>, deadline?: TransportOptions['deadline']) =>
      this.client(caller, {...options, onReply, deadline})
  }

  // What a command lends to `findCustomerId` and the like. The client connects when it is first needed.
  protected finder(known?: Caller): Finder {
    let client: Promise<Client> | undefined
    return {
      isInteractive: this.isInteractive,
      notice: (text) => this.notice(text),
      connect: () => (client ??= this.client(known)),
      getOrganizationId: async () => (known ?? (await this.caller())).organization,
      rejectMissing: (name) => this.rejectMissing([name]),
    }
  }

  // A list of the service. The paging flags say how much of it to read; `filter` is what the service cannot filter by.
  protected list<Query, Reply extends Page, Key extends keyof Reply & string>(
    fetchPage: (query: Query) => Promise<Reply>,
    query: Query,
    flags: Partial<PagingFlags>,
    key: Key,
    view: View<Reply[Key] extends ReadonlyArray<infer Entity> ? Entity : never>,
    filter?: Filter,
  ): ListResult {
    const {all, limit, 'page-size': pageSize, 'page-token': pageToken} = flags
    const paging = {all, limit, pageSize, pageToken, filter: filter?.matches}
    const pages = walkPages((page) => fetchPage({...query, ...page}), key, paging)
    return {kind: 'list', key, view, pages, filter, isAll: all}
  }

  // Watches an item until a final state and reports each change. Returns the last state, with the failure if it ended badly.
  protected async watch(target: WatchTarget<object>, deadlineMs = this.#deadlineMs): Promise<Result> {
    const {watch} = await import('./watch/watch.ts')
    const {format, flags} = this
    const isSandbox = (await this.caller()).baseUrl === sandboxAddress
    const limit = flags.timeout === undefined ? undefined : {timeoutMs: flags.timeout, deadlineMs}
    return watch(target, {format, quiet: flags.quiet ?? false, isSandbox, limit, notice: this.notice.bind(this)})
  }
}

// Asked for with the flag of the command, or with a variable that the command may have no flag for.
const isDryRun = (flags: object): boolean =>
  ('dry-run' in flags && flags['dry-run'] === true) || isVariableOn(process.env['SVC_DRY_RUN'])

// For a command that sends a body which a person wrote.
const allowsUnknownFields = (flags: object): boolean =>
  'allow-unknown-fields' in flags && flags['allow-unknown-fields'] === true

// A shorter delay before a retry needs no notice.
const retryNoticeMs = 1000
// A web page of a proxy can be long.
const bodyShownMax = 10_000

// Notices about requests: every attempt with --verbose; otherwise long retries and replies that break the contract, each kind of them
// once. The flags are read when a notice is due, because they are parsed after the command is created.
function createRequestNotices(notice: (text: string) => void, isVerbose: () => boolean) {
  const printed = new Set<string>()
  const printOnce = (text: string, key = text) => {
    if (!printed.has(key)) notice(text)
    printed.add(key)
  }
  return {
    onAttempt({method, path, outcome, elapsedMs, retryInMs}: AttemptEvent): void {
      if (isVerbose()) {
        const next = retryInMs === undefined ? '' : `, again in ${Math.round(retryInMs)} ms`
        writeErrLines([`${method} ${path} → ${outcome} in ${Math.round(elapsedMs)} ms${next}`])
      } else if (retryInMs !== undefined && retryInMs >= retryNoticeMs && getTraits('stderr').isTTY) {
        printOnce(`The service answered ${outcome}; trying again in ${Math.ceil(retryInMs / 1000)} s.`, outcome)
      }
    },
    onContractViolation(endpoint: string, [first, ...others]: readonly ShapeProblem[]): void {
      const more = others.length > 0 ? ` (and ${others.length} more)` : ''
      printOnce(`Warning: the reply to ${endpoint} breaks the interface: ${first?.path} ${first?.message}${more}.`)
    },
    // The body of a reply that is an error or that cannot be read.
    onUnreadBody(text: string): void {
      if (!isVerbose()) return
      const rest = text.length - bodyShownMax
      const shown = `${text.slice(0, bodyShownMax).trimEnd()}${rest > 0 ? `… (${rest} more characters)` : ''}`
      // Further lines are indented, so that none of them looks like one of ours.
      writeErrLines(shown.split('\n').map((line, index) => (index === 0 ? line : `  ${line}`)))
    },
  }
}
