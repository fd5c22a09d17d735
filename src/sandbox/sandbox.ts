// The sandbox: the whole service in one process, behind one function from Request to Response.
import {type Controls, createControls} from './controls.ts'
import {loadVerificationChecks} from './customers/verification-checks.ts'
import {type HandleRequest, createApp} from './http/app.ts'
import {fromFetchRequest, toFetchResponse} from './http/exchange.ts'
import {createRequestLog, type LogSettings} from './log/request-log.ts'
import {initializeSandbox} from './seed/seed.ts'
import {type Database, SandboxFileError, openDatabase} from './store/database.ts'
import {readApiKey, type InitialSettings, readIdentity, readSettings} from './store/settings.ts'
import type {SandboxEnvironment} from './request-context.ts'

export {SandboxFileError} from './store/database.ts'

const formsUrlDefault = 'https://forms.sandbox.invalid'
const urlDefault = 'http://localhost'

export interface SandboxOptions extends InitialSettings, Pick<LogSettings, 'batchMs' | 'onRequest'> {
  // Where the database is; ':memory:' keeps it nowhere. Seed and frozenAt count only for a database that is new.
  file: string
  // Where the service itself is to be found, if it is served.
  url?: string | undefined
  formsUrl?: string | undefined
  // The origins whose pages may show the forms in a frame.
  frameAncestors?: readonly string[] | undefined
  // Hears of faults of the sandbox itself, which a reply shows only as INTERNAL_ERROR.
  onFault?: ((error: unknown) => void) | undefined
}

export interface Sandbox extends Controls {
  readonly apiKey: string
  // Which database this is, and since which beginning.
  readonly identity: string
  // The service, for whoever carries requests and answers, and what a fault does to them on the way.
  handle: HandleRequest
  // The same for whoever has a Request. A connection that a fault breaks is a fetch that fails.
  fetch(request: Request): Promise<Response>
  // Where a server is that has this very database, if one runs.
  findServer(): Promise<{url: string; formsUrl: string} | undefined>
  // Lets time pass and webhooks leave, until it is stopped: for a server, and for nobody else.
  startDelivery(notice: (text: string) => void): Promise<{stop(): Promise<void>}>
  close(): void
}

// Ids that do not follow from the seed that was asked for would go unnoticed until they are compared.
function checkSeed(database: Database, seed: string | undefined) {
  if (seed === undefined || readSettings(database).seed === seed) return
  throw new SandboxFileError(`${database.file} has another seed already: reset it with this one, or name another file`)
}

function openSeededDatabase({file, seed, frozenAt}: SandboxOptions): Database {
  const database = openDatabase(file, (fresh) => initializeSandbox(fresh, {seed, frozenAt}))
  try {
    checkSeed(database, seed)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

export function openSandbox(options: SandboxOptions): Sandbox {
  const {formsUrl = formsUrlDefault, url = urlDefault, onFault = () => {}} = options
  const database = openSeededDatabase(options)
  const environment: SandboxEnvironment = {database, formsUrl: formsUrl.replace(/\/+$/, '')}
  const log = createRequestLog(database, {batchMs: options.batchMs, onRequest: options.onRequest, onFault})
  const app = createApp(environment, {url, log, frameAncestors: options.frameAncestors, onFault})
  const handle: HandleRequest = async (request) => {
    await loadVerificationChecks(request)
    return app(request)
  }
  return {
    ...createControls(environment),
    // Read each time: another process may have reset the database with a seed.
    get apiKey() {
      return readApiKey(database)
    },
    get identity() {
      return readIdentity(database)
    },
    handle,
    fetch: async (request) => toFetchResponse(await handle(fromFetchRequest(request)), request.method),
    findServer: async () => (await import('./server/server-address.ts')).findServer(database),
    startDelivery: async (notice) => {
      const {startDelivery} = await import('./webhooks/delivery.ts')
      return startDelivery(environment, notice)
    },
    close: () => {
      log.flush()
      database.close()
    },
  }
}
