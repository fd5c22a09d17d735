// The sandbox: the whole service in one process, behind one function from Request to Response.
import nodePath from 'node:path'
import {unservedFormsUrl} from '../values/urls.ts'
import type {JournalSource} from '../web/console/source.ts'
import type {Entrance} from '../web/entrance.ts'
import {type Controls, createControls} from './operations/controls.ts'
import {type HandleRequest, createApp} from './http/app.ts'
import {fromFetchRequest, toFetchResponse} from './http/exchange.ts'
import {createRequestLog, type LogSettings, type RequestLog} from './service/log/request-log.ts'
import {hasAddressFile} from './http/address-file.ts'
import type {ServerAddress} from './http/server-address.ts'
import {initializeSandbox} from './seed/seed.ts'
import {type Database, SandboxFileError, openDatabase} from './store/database.ts'
import {readApiKey, type InitialSettings, readIdentity, readSettings} from './store/settings.ts'
import type {SandboxEnvironment} from './service/request-context.ts'
import type {Subscription, SubscriptionOptions} from './service/webhooks/deliver.ts'

export {SandboxFileError} from './store/database.ts'

const urlDefault = 'http://localhost'

export interface ServiceOptions {
  // The base URL of the service, if it is served.
  url?: string | undefined
  formsUrl?: string | undefined
  // The origins whose pages may show the forms in a frame.
  frameAncestors?: readonly string[] | undefined
  // Who is let into the console. A sandbox that is not served has none.
  consoleEntrance?: Entrance | undefined
  // Opens the journal for the services with these ids, for the console.
  openJournal?: ((serviceIds: readonly string[]) => JournalSource) | undefined
  // Whether events are stored although no endpoint gets them.
  keepsEvents?: boolean | undefined
  // Called with errors of the sandbox itself, which replies only show as INTERNAL_ERROR.
  onFault?: ((error: unknown) => void) | undefined
}

export interface SandboxOptions extends ServiceOptions, InitialSettings, Pick<LogSettings, 'batchMs' | 'onRequest'> {
  // The database file, or ':memory:'. Seed and frozenAt only apply to a new database.
  file: string
}

export interface Sandbox extends Controls {
  readonly apiKey: string
  // Identifies the database and its generation, which changes with every reset.
  readonly identity: string
  // Handles a request. A response may carry a fault, which the caller applies to the connection.
  handle: HandleRequest
  // The same for fetch. A fault that breaks the connection makes the fetch fail.
  fetch(request: Request): Promise<Response>
  // The address of the running server of this database, if there is one.
  findServer(): Promise<ServerAddress | undefined>
  // Makes the links to forms lead to the running server of this database, if there is one.
  useFormsOfServer(): Promise<void>
  // Runs due tasks and sends webhooks to all endpoints until it is stopped. Only a server may call this.
  startDelivery(notice: (text: string) => void): Promise<{stop(): Promise<void>}>
  // Adds an endpoint for this process, runs due tasks and sends webhooks to it until it is stopped.
  subscribe(options: SubscriptionOptions): Promise<Subscription>
  // Writes the requests that a server has not logged yet.
  flushLog(): void
  close(): void
}

// Without this check, ids that do not follow from the requested seed would go unnoticed.
function checkSeed(database: Database, seed: string | undefined) {
  if (seed === undefined || readSettings(database).seed === seed) return
  throw new SandboxFileError(`${database.file} already has another seed: reset it with this one, or name another file`)
}

export function openSeededDatabase({
  file,
  seed,
  frozenAt,
}: Pick<SandboxOptions, 'file' | 'seed' | 'frozenAt'>): Database {
  const database = openDatabase(file, (fresh) => initializeSandbox(fresh, {seed, frozenAt}))
  try {
    checkSeed(database, seed)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

const ignoreFault = () => {}

// Identifies the service of an embedded sandbox to the journal: its database and its generation.
export const createServiceId = (file: string, identity: string) => `sandbox:${nodePath.resolve(file)}#${identity}`

export function openSandbox(options: SandboxOptions): Sandbox {
  const database = openSeededDatabase(options)
  const {batchMs, onRequest, onFault = ignoreFault} = options
  return createSandbox(database, createRequestLog(database, {batchMs, onRequest, onFault}), options)
}

// The sandbox closes the database.
export function createSandbox(database: Database, log: RequestLog, options: ServiceOptions = {}): Sandbox {
  const {
    formsUrl = unservedFormsUrl,
    url = urlDefault,
    frameAncestors,
    consoleEntrance,
    openJournal,
    keepsEvents,
    onFault = ignoreFault,
  } = options
  const environment: SandboxEnvironment = {
    database,
    formsUrl: formsUrl.replace(/\/+$/, ''),
    consoleEntrance,
    keepsEvents,
    journal: openJournal && (() => openJournal([createServiceId(database.file, readIdentity(database)), url])),
  }
  const handle = createApp(environment, {url, log, frameAncestors, onFault})
  const findServer = async () => (await import('./http/server-address.ts')).findServer(database)
  const useFormsOfServer = async () => {
    const running = hasAddressFile(database.file) ? await findServer() : undefined
    if (running) environment.formsUrl = running.formsUrl
  }
  return {
    ...createControls(environment),
    // Read each time, because another process may have reset the database with a seed.
    get apiKey() {
      return readApiKey(database)
    },
    get identity() {
      return readIdentity(database)
    },
    handle,
    fetch: async (request) => toFetchResponse(await handle(fromFetchRequest(request)), request.method),
    findServer,
    useFormsOfServer,
    startDelivery: async (notice) => {
      const {startDelivery} = await import('./service/webhooks/deliver.ts')
      return startDelivery(environment, notice)
    },
    subscribe: async (subscription) => {
      const {startSubscription} = await import('./service/webhooks/deliver.ts')
      await useFormsOfServer()
      return startSubscription(environment, subscription)
    },
    flushLog: () => log.flush(),
    close: () => {
      log.flush()
      database.close()
    },
  }
}
