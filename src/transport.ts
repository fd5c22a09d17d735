// Connects a caller to its service. This alone knows both the network and the embedded sandbox, and loads the latter only
// when it is asked for.
import fs from 'node:fs'
import nodePath from 'node:path'
import {type Client, type ClientOptions, createClient} from './client/client.ts'
import {requestTimeoutMsDefault} from './client/connection.ts'
import {type Fetch, WireError, type WireSettings, createWireFetch} from './client/http.ts'
import type {SandboxResponse} from './sandbox/http/exchange.ts'
import type {Sandbox} from './sandbox/sandbox.ts'
import type {RunningServer, ServerOptions} from './sandbox/server/server.ts'
import {badSettings, badUsage, getSystemCode} from './errors.ts'
import type {Caller} from './profiles/caller.ts'
import {sandboxFile} from './storage/folders.ts'
import {sandboxAddress} from './profiles/profiles.ts'

export interface TransportOptions {
  gate: ClientOptions['gate']
  userAgent: string
  requestTimeoutMs?: number | undefined
  timeoutMs?: number | undefined
  onAttempt?: ClientOptions['onAttempt']
  onWrite?: ClientOptions['onWrite']
  onReply?: ClientOptions['onReply']
  onContractViolation?: ClientOptions['onContractViolation']
  retriesReads?: ClientOptions['retriesReads']
  onNotRemembered?: ((error: unknown) => void) | undefined
}

export async function connect(caller: Caller, options: TransportOptions): Promise<Client> {
  return createClient({
    ...(caller.baseUrl === sandboxAddress ? await connectEmbedded() : connectRemote(caller)),
    gate: options.gate,
    callerLabel: caller.label,
    renewable: caller.renewable,
    userAgent: options.userAgent,
    requestTimeoutMs: options.requestTimeoutMs ?? requestTimeoutMsDefault,
    deadlineMs: options.timeoutMs && performance.now() + options.timeoutMs,
    onAttempt: options.onAttempt,
    onWrite: options.onWrite,
    onReply: options.onReply,
    retriesReads: options.retriesReads,
    getRememberedPath: () => caller.customerReadPath,
    rememberPath: (_, path) => {
      // For the rest of this process, which may look at a customer many times; and where there is a profile, for the next.
      caller.customerReadPath = path
      // Forgetting the path costs one request next time; it is never a reason to fail the command.
      caller.rememberCustomerReadPath?.(path).catch((error: unknown) => options.onNotRemembered?.(error))
    },
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

const proxyVariables = ['HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy']

// The environment's settings of a proxy, by the names under which they are set.
export function readProxySettings(): Record<string, string> {
  const proxy: Record<string, string> = {}
  for (const name of proxyVariables) {
    const value = process.env[name]
    if (value) proxy[name] = /^https_proxy$/i.test(name) ? parseProxy(value, name) : value
  }
  return proxy
}

function readWireSettings(): WireSettings {
  const proxy = readProxySettings()
  return {...(Object.keys(proxy).length > 0 && {proxy}), authorities: loadAuthorities}
}

// Node passes over, in silence, a proxy that it cannot use; a request must not take another way than the one it was told.
// A bare host and port is a proxy that speaks HTTP, as everywhere else.
function parseProxy(value: string, name: string): string {
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`
  if (/^https?:$/.test(URL.parse(address)?.protocol ?? '')) return address
  throw badSettings(
    `${name} does not name a proxy that svc can use`,
    'Give an address such as http://proxy.example.com:8080',
  )
}

// Node's own list, what NODE_EXTRA_CA_CERTS added, the system's store, and the file that SVC_CA_FILE names.
function loadAuthorities(): string[] {
  const tls = process.getBuiltinModule('node:tls')
  const known = [...tls.getCACertificates('default'), ...tls.getCACertificates('system')]
  const file = process.env['SVC_CA_FILE']
  if (!file) return known
  try {
    return [...known, fs.readFileSync(file, 'utf8')]
  } catch (cause) {
    throw badSettings(
      `The file ${file}, which SVC_CA_FILE names, cannot be read (${getSystemCode(cause)})`,
      'Check the path',
      cause,
    )
  }
}

// What is wrong with the file of a sandbox is a matter of settings, and said so.
const unusable = (cause: Error, hint: string) => badSettings(cause.message, hint, cause)

// The sandbox behind the built-in profile.
export async function openEmbeddedSandbox(): Promise<Sandbox> {
  const {SandboxFileError, openSandbox} = await import('./sandbox/sandbox.ts')
  try {
    return openSandbox({file: sandboxFile()})
  } catch (cause) {
    if (!(cause instanceof SandboxFileError)) throw cause
    throw unusable(cause, 'Name another file with SVC_SANDBOX_FILE, or move this one away')
  }
}

// To what a key of a payment belongs: the base address, or one database of the sandbox, which is another after a reset.
export async function getServiceId(caller: Caller): Promise<string> {
  if (caller.baseUrl !== sandboxAddress) return caller.baseUrl
  const sandbox = await openEmbeddedSandbox()
  try {
    return `${sandboxAddress}${nodePath.resolve(sandboxFile())}#${sandbox.identity}`
  } finally {
    sandbox.close()
  }
}

export interface ServiceState {
  // The service's present.
  nowMs: number
  // What a wallet holds of a currency.
  findBalance?: (account: string, currency: string) => string | undefined
}

// Only the embedded sandbox says what a wallet holds, and has a clock of its own.
export async function readServiceState({baseUrl}: Caller): Promise<ServiceState> {
  if (baseUrl !== sandboxAddress) return {nowMs: Date.now()}
  const {clock, money} = await openEmbeddedSandbox()
  return {
    nowMs: Date.parse(clock.status().now),
    findBalance: (account, currency) => money.balance(account, currency),
  }
}

// The same sandbox on a loopback port, or the one in another file.
export async function serveSandbox(options: Omit<ServerOptions, 'file'> & {file?: string}): Promise<RunningServer> {
  const [{SandboxFileError}, {startServer}] = await Promise.all([
    import('./sandbox/sandbox.ts'),
    import('./sandbox/server/server.ts'),
  ])
  try {
    return await startServer({...options, file: options.file ?? sandboxFile()})
  } catch (cause) {
    if (cause instanceof SandboxFileError) throw unusable(cause, 'Name another file with --data')
    const code = getSystemCode(cause)
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw cause
    const why = code === 'EACCES' ? 'may not be used by you' : 'is taken'
    throw badUsage(`The port ${options.port} ${why}`, 'Give another with --port; 0 picks a free one', cause)
  }
}

// Where the hosted forms of the embedded sandbox are to be had.
export interface SandboxForms {
  formsUrl: string
  // Ends what was started for them, where something was.
  stop?: () => Promise<void>
}

// At the server that has its database already, if one runs, and otherwise at one that is started where `serving` is
// given. A service elsewhere serves its forms itself.
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

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

// A fault of the sandbox reaches the client as the same failure of the wire that it would be on a network.
async function applyFault({fault}: SandboxResponse, timeoutMs: number): Promise<void> {
  if (!fault) return
  const {delayMs, breaks} = fault
  const isSilent = breaks === 'hang' || delayMs >= timeoutMs
  await pause(isSilent ? timeoutMs : delayMs)
  if (isSilent) throw new WireError('TIMEOUT', `no whole reply came within ${timeoutMs / 1000} s`, true)
  if (breaks === 'truncate') throw new WireError('TRUNCATED', 'the reply broke off before its end', true)
  if (breaks) throw new WireError('ECONNRESET', 'the connection was broken off', true)
}

const isSuccess = (status: number) => status >= 200 && status < 300

// The same client speaks to the sandbox in this process: only what lies under its fetch differs.
async function connectEmbedded() {
  const sandbox = await openEmbeddedSandbox()
  const baseUrl = 'http://localhost'
  const fetch: Fetch = async (url, {method, headers, body, timeoutMs}) => {
    const headerValues = new Map(headers)
    const response = await sandbox.handle({
      method,
      target: url.slice(baseUrl.length),
      header: (name) => headerValues.get(name),
      body: async () => Buffer.from(body ?? ''),
    })
    await applyFault(response, timeoutMs)
    return {
      status: response.status,
      statusText: '',
      ok: isSuccess(response.status),
      headers: {get: (name) => response.headers[name.toLowerCase()] ?? null},
      body: true,
      text: async () => (typeof response.body === 'string' ? response.body : Buffer.from(response.body).toString()),
    }
  }
  return {baseUrl, fetch, credential: async () => sandbox.apiKey}
}
