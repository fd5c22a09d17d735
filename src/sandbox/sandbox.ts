// The sandbox: the whole service in one process, behind one function from Request to Response.
import {ControlRefused} from './control-refused.ts'
import {type CustomerStatus, customerStatuses} from '../contract/customers.ts'
import {type Answer, createApp} from './http/app.ts'
import {askedBy, responseOf} from './http/exchange.ts'
import {type ClockStatus, clockStatus} from './time/clock.ts'
import {type ClockControls, clockControls} from './time/controls.ts'
import {type SnapshotControls, snapshotControls} from './snapshots/controls.ts'
import {loadChecksFor} from './customers/checks.ts'
import {type VerificationControls, verificationControls} from './customers/controls.ts'
import {customerCounts} from './customers/customer-store.ts'
import {Database, SandboxUnusable} from './store/database.ts'
import {type FaultControls, faultControls} from './faults/controls.ts'
import {type MoneyControls, moneyControls} from './money/controls.ts'
import {type RequestControls, requestControls} from './log/controls.ts'
import {createRequestLog, type LogSettings} from './log/request-log.ts'
import {type WebhookControls, webhookControls} from './webhooks/controls.ts'
import {operate} from './operation.ts'
import {allOrganizations, type Organization} from './store/organizations.ts'
import {queueStatus} from './time/queue.ts'
import {schemaVersion, tables} from './store/schema.ts'
import {addDemoCustomers, furnish} from './seed/seed.ts'
import {apiKeyOf, type Beginning, settingsOf} from './store/settings.ts'
import type {House, Turn} from './turn.ts'

export {SandboxUnusable} from './store/database.ts'

const formsUrlDefault = 'https://forms.sandbox.invalid'
const urlDefault = 'http://localhost'

export interface SandboxOptions extends Beginning, Pick<LogSettings, 'batchMs' | 'onRequest'> {
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

export interface SandboxStatus {
  file: string
  schemaVersion: number
  seedGiven: boolean
  clock: ClockStatus
  customers: Record<CustomerStatus, number>
  queue: {waiting: number; nextDue?: string}
  organizations: Organization[]
}

export interface Sandbox {
  readonly apiKey: string
  // The service, for whoever carries requests and answers, and what a fault does to them on the way.
  answer: Answer
  // The same for whoever has a Request. A connection that a fault breaks is a fetch that fails.
  fetch(request: Request): Promise<Response>
  status(): SandboxStatus
  // Adds demo customers: the next ones in number, the same on every machine.
  seedCustomers(count: number): {added: number}
  // Begins anew, in one transaction. The API key stays unless a seed is given; the clock shows wall time unless frozen.
  reset(beginning?: Beginning): void
  clock: ClockControls
  snapshots: SnapshotControls
  verification: VerificationControls
  faults: FaultControls
  money: MoneyControls
  requests: RequestControls
  webhooks: WebhookControls
  // Lets time pass and webhooks leave, until it is stopped: for a server, and for nobody else.
  startDelivery(notice: (text: string) => void): Promise<{stop(): Promise<void>}>
  close(): void
}

function statusOf({database}: Turn): SandboxStatus {
  const counts = customerCounts(database)
  return {
    file: database.file,
    schemaVersion,
    seedGiven: settingsOf(database).seedGiven === 1,
    clock: clockStatus(database),
    customers: Object.fromEntries(customerStatuses.map((status) => [status, counts[status] ?? 0])) as Record<
      CustomerStatus,
      number
    >,
    queue: queueStatus(database),
    organizations: allOrganizations(database),
  }
}

function seedCustomers(turn: Turn, count: number) {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new ControlRefused('The number of customers must be a whole number')
  addDemoCustomers(turn, count)
  return {added: count}
}

function reset(database: Database, beginning: Beginning) {
  database.transact(() => {
    const apiKey = apiKeyOf(database)
    for (const table of tables) database.run(`delete from ${table}`)
    furnish(database, beginning, apiKey)
  })
}

// Ids that do not follow from the seed that was asked for would go unnoticed until they are compared.
function checkSeed(database: Database, seed: string | undefined) {
  if (seed === undefined || settingsOf(database).seed === seed) return
  throw new SandboxUnusable(`${database.file} has another seed already: reset it with this one, or name another file`)
}

function openDatabase({file, seed, frozenAt}: SandboxOptions): Database {
  const database = new Database(file, (fresh) => furnish(fresh, {seed, frozenAt}))
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
  const database = openDatabase(options)
  const house: House = {database, formsUrl: formsUrl.replace(/\/+$/, '')}
  const log = createRequestLog(database, {batchMs: options.batchMs, onRequest: options.onRequest, onFault})
  const app = createApp(house, {url, log, frameAncestors: options.frameAncestors, onFault})
  const answer: Answer = async (asked) => {
    await loadChecksFor(asked)
    return app(asked)
  }
  return {
    // Read each time: another process may have reset the database with a seed.
    get apiKey() {
      return apiKeyOf(database)
    },
    answer,
    fetch: async (request) => responseOf(await answer(askedBy(request)), request.method),
    status: () => operate(house, statusOf),
    seedCustomers: (count) => operate(house, (turn) => seedCustomers(turn, count)),
    reset: (beginning = {}) => reset(database, beginning),
    clock: clockControls(house),
    snapshots: snapshotControls(house),
    verification: verificationControls(house),
    faults: faultControls(house),
    money: moneyControls(house),
    requests: requestControls(house),
    webhooks: webhookControls(house),
    startDelivery: async (notice) => {
      const {startDelivery} = await import('./webhooks/delivery.ts')
      return startDelivery(house, notice)
    },
    close: () => {
      log.flush()
      database.close()
    },
  }
}
