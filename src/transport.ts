// Connects a caller to its service. Only this file knows both the network and the embedded sandbox; it loads the sandbox
// only if it is used.
import {type Client, type ClientOptions, createClient} from './client/client.ts'
import {requestTimeoutMsDefault} from './client/connection.ts'
import {createWireFetch, readWireSettings} from './client/http.ts'
import type {Sandbox} from './sandbox/sandbox.ts'
import type {RunningServer, ServerOptions} from './sandbox/http/server.ts'
import {badSettings} from './errors.ts'
import type {Caller} from './profiles/caller.ts'
import {getSandboxFile} from './storage/folders.ts'
import {SqliteFileError, diskFullHint} from './storage/sqlite-error.ts'
import {getJournalAddress} from './profiles/journal.ts'
import {isLoopbackUrl} from './values/urls.ts'
import {type ServiceTraits, listLagDefaultMs} from './profiles/service.ts'
import {sandboxAddress} from './profiles/profiles.ts'

export type {Sandbox} from './sandbox/sandbox.ts'

export interface TransportOptions {
  gate: ClientOptions['gate']
  userAgent: string
  requestTimeoutMs?: number | undefined
  timeoutMs?: number | undefined
  // Overrides `timeoutMs`, for a client whose requests get another deadline while it is used.
  deadline?: {readonly atMs?: number | undefined} | undefined
  onAttempt?: ClientOptions['onAttempt']
  onWrite?: ClientOptions['onWrite']
  onReply?: ClientOptions['onReply']
  onContractViolation?: ClientOptions['onContractViolation']
  onUnreadBody?: ClientOptions['onUnreadBody']
  retriesReads?: ClientOptions['retriesReads']
  allowsUnknownFields?: ClientOptions['allowsUnknownFields']
  signal?: ClientOptions['signal']
}

export async function connect(caller: Caller, options: TransportOptions): Promise<Client> {
  const deadline = options.deadline ?? {atMs: options.timeoutMs && performance.now() + options.timeoutMs}
  return createClient({
    ...(caller.baseUrl === sandboxAddress ? await connectEmbedded(caller) : connectRemote(caller)),
    gate: options.gate,
    callerLabel: caller.label,
    renewable: caller.renewable,
    userAgent: options.userAgent,
    requestTimeoutMs: options.requestTimeoutMs ?? requestTimeoutMsDefault,
    get deadlineMs() {
      return deadline.atMs
    },
    onAttempt: options.onAttempt,
    onWrite: options.onWrite,
    onReply: options.onReply,
    onUnreadBody: options.onUnreadBody,
    retriesReads: options.retriesReads,
    allowsUnknownFields: options.allowsUnknownFields,
    signal: options.signal,
    ...(options.onContractViolation && {onContractViolation: options.onContractViolation}),
  })
}

function connectRemote(caller: Caller) {
  const secure = caller.baseUrl.startsWith('https:')
  return {
    baseUrl: caller.baseUrl,
    fetch: createWireFetch(secure ? readWireSettings() : {}),
    credential: caller.credential,
  }
}

function createSandboxFileError(failure: Error, hint: string) {
  const {cause} = failure
  const isDiskFull = cause instanceof SqliteFileError && cause.problem === 'diskFull'
  return badSettings(failure.message, isDiskFull ? diskFullHint : hint, failure)
}

// The sandbox behind the built-in profile.
export async function openEmbeddedSandbox(): Promise<Sandbox> {
  const {SandboxFileError, openSandbox} = await import('./sandbox/sandbox.ts')
  try {
    return openSandbox({file: getSandboxFile()})
  } catch (cause) {
    if (!(cause instanceof SandboxFileError)) throw cause
    throw createSandboxFileError(cause, 'Name another file with SVC_SANDBOX_FILE, or move this one away')
  }
}

// The embedded sandbox of a caller. It is opened once, since that takes longer than the rest of what a payment prepares.
const openedSandboxes = new WeakMap<Caller, Promise<Sandbox>>()

function openSandboxOnce(caller: Caller): Promise<Sandbox> {
  const opened = openedSandboxes.get(caller) ?? openEmbeddedSandbox()
  openedSandboxes.set(caller, opened)
  return opened
}

// A new sandbox in a file of its own, the same on every machine. Its time stands still until somebody moves it.
export async function createSandbox(options: {file: string; seed: string; frozenAt: Date}): Promise<Sandbox> {
  const {openSandbox} = await import('./sandbox/sandbox.ts')
  return openSandbox(options)
}

// The sandbox of a caller: the embedded one, also if the caller reaches it through its running server.
export async function findSandbox({baseUrl}: Caller): Promise<Sandbox | undefined> {
  if (baseUrl === sandboxAddress) return openEmbeddedSandbox()
  if (!isLoopbackUrl(baseUrl) || !process.getBuiltinModule('node:fs').existsSync(getSandboxFile())) return undefined
  const sandbox = await openEmbeddedSandbox()
  if ((await sandbox.findServer())?.url === baseUrl.replace(/\/+$/, '')) return sandbox
  sandbox.close()
  return undefined
}

async function identifySandbox(sandbox: Sandbox): Promise<string> {
  const {createServiceId} = await import('./sandbox/sandbox.ts')
  return createServiceId(getSandboxFile(), sandbox.identity)
}

// Identifies the service that a payment key belongs to. That of the embedded sandbox is its database and changes on a reset.
export async function getServiceId(caller: Caller): Promise<string> {
  if (caller.baseUrl !== sandboxAddress) return caller.service
  const sandbox = await openEmbeddedSandbox()
  try {
    return await identifySandbox(sandbox)
  } finally {
    sandbox.close()
  }
}

// The sandbox knows itself whether it honours keys.
async function readEmbeddedTraits(caller: Caller) {
  const sandbox = await openSandboxOnce(caller)
  const {honoursKeys} = await import('./sandbox/service/faults/behaviours.ts')
  return {
    serviceId: await identifySandbox(sandbox),
    resend: honoursKeys(sandbox.faults.behaviours()) ? ('yes' as const) : ('unknown' as const),
  }
}

export async function readServiceTraits(caller: Caller): Promise<ServiceTraits> {
  const embedded = caller.baseUrl === sandboxAddress ? await readEmbeddedTraits(caller) : undefined
  const serviceId = embedded?.serviceId ?? caller.service
  return {
    serviceId,
    profileName: caller.profileName,
    areKeysHonoured: (caller.resend ?? embedded?.resend) === 'yes',
    listLagMaxMs: caller.listLagMaxMs ?? listLagDefaultMs,
    journal: getJournalAddress(caller),
  }
}

export interface ServiceState {
  nowMs: number
  describeMagicAmount?: (amount: string, status?: string) => string | undefined
}

// Only the embedded sandbox has a clock of its own.
export async function readServiceState(caller: Caller): Promise<ServiceState> {
  if (caller.baseUrl !== sandboxAddress) return {nowMs: Date.now()}
  const {clock} = await openSandboxOnce(caller)
  return {
    nowMs: Date.parse(clock.status().now),
    describeMagicAmount: (await import('./sandbox/service/money/transitions.ts')).describeMagicAmount,
  }
}

// Serves the sandbox, or the one in another file, on a loopback port.
export async function serveSandbox(options: Omit<ServerOptions, 'file'> & {file?: string}): Promise<RunningServer> {
  const [{SandboxFileError}, {startServer}] = await Promise.all([
    import('./sandbox/sandbox.ts'),
    import('./sandbox/http/server.ts'),
  ])
  try {
    return await startServer({...options, file: options.file ?? getSandboxFile()})
  } catch (cause) {
    if (cause instanceof SandboxFileError) throw createSandboxFileError(cause, 'Name another file with --data')
    throw cause
  }
}

// Where the hosted forms of the embedded sandbox are served.
export interface SandboxForms {
  formsUrl: string
  // Stops the server, if one was started for the forms.
  stop?: () => Promise<void>
}

// Uses the server that already serves the sandbox's database, or starts one if `serving` is given. Any other service
// serves its own forms, so the result is undefined.
export async function findSandboxForms(
  {baseUrl}: Caller,
  serving?: Pick<ServerOptions, 'notice' | 'onFault'>,
): Promise<SandboxForms | undefined> {
  if (baseUrl !== sandboxAddress) return undefined
  const sandbox = await openEmbeddedSandbox()
  const running = await sandbox.findServer()
  if (running) return running
  return serving && serveSandbox({port: 0, ...serving})
}

async function connectEmbedded(caller: Caller) {
  const [sandbox, {createEmbeddedFetch, embeddedUrl}] = await Promise.all([
    openSandboxOnce(caller),
    import('./embedded-fetch.ts'),
  ])
  await sandbox.useFormsOfServer()
  return {baseUrl: embeddedUrl, fetch: createEmbeddedFetch(sandbox), credential: async () => sandbox.apiKey}
}
