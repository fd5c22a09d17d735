// What the console shows of a real service: read through the client, a bounded number of items, and never written to.
import fs from 'node:fs'
import type {Client} from '../client/client.ts'
import {type Page, getNextPageToken, readFirstItems} from '../client/paging.ts'
import {limits} from '../contract/vocabulary.ts'
import {SvcError, findOrUndefined} from '../errors.ts'
import {withStore} from '../events/history.ts'
import {type StoredEvent, findEvent, listNewestEvents, toRecordedEvent} from '../events/record.ts'
import {getEventStoreFile} from '../events/store.ts'
import {type JournalEntry, findEntry, listEntries, listOpenEntries} from '../payments/entries.ts'
import {readJournal} from '../payments/journal/walk.ts'
import {readDealtWith} from '../payments/by-hand.ts'
import type {PaymentFilter} from '../payments/journal/journal.ts'
import type {JournalAddress} from '../storage/journal-address.ts'
import {joinSentences} from '../values/text.ts'
import type {
  ConsoleEvent,
  ConsoleSource,
  ControlsSource,
  EventSource,
  ItemPage,
  JournalPayment,
  JournalSource,
  LooseCustomer,
} from '../web/console/source.ts'

// Three requests of the largest page size: quick at a slow service too.
const readMax = 3 * limits.pageSizeMax

export interface ProfileSourceSettings {
  client: Client
  // Only what belongs to it, if the profile names one.
  organization: string | undefined
  title: string
  note: string
  journal: JournalSource
  events: EventSource | undefined
}

const toItemPage = <Item>(page: Page, items: readonly Item[]): ItemPage<Item> => ({
  items,
  nextPageToken: getNextPageToken(page),
})

export function createProfileSource(settings: ProfileSourceSettings): ConsoleSource {
  const {client, organization: organizationId, title, note, journal, events} = settings
  const scope = {...(organizationId && {organizationId})}
  const reads = createRecentReads()
  const names = new Map<string, string>()
  const rememberNames = (customers: readonly LooseCustomer[]) => {
    for (const {customerId, name} of customers) {
      if (typeof customerId === 'string' && typeof name === 'string') names.set(customerId, name)
    }
  }
  const listCustomers: ConsoleSource['listCustomers'] = (query) =>
    reads.share(['customers', query], async () => {
      const page = await readFirstItems((next) => client.customers.list({...scope, ...query, ...next}), 'customers')
      rememberNames(page.customers)
      return toItemPage(page, page.customers)
    })
  return {
    title,
    note,
    isReadOnly: true,
    readMax,
    listCustomers,
    findCustomer: (customerId) =>
      reads.share(['customer', customerId], async () => {
        const found = await findOrUndefined(client.customers.get({customerId}))
        if (found) rememberNames([found])
        return found
      }),
    // Those of older customers are shown by their ids.
    async findNames(customerIds) {
      if (customerIds.some((id) => id !== '' && !names.has(id))) await listCustomers({pageSize: limits.pageSizeMax})
      return names
    },
    listAccounts: (customerId) =>
      reads.share(['accounts', customerId], async () => {
        const query = {customerId, pageSize: limits.pageSizeMax}
        const page = await readFirstItems((next) => client.accounts.list({...query, ...next}), 'paymentAccounts')
        return toItemPage(page, page.paymentAccounts)
      }),
    listTransactions: (query) =>
      reads.share(['transactions', query], async () => {
        const page = await readFirstItems(
          (next) => client.transactions.list({...scope, ...query, ...next}),
          'transactions',
        )
        return toItemPage(page, page.transactions)
      }),
    listRules: (customerId) =>
      reads.share(['rules', customerId], async () => (await client.rules.list({customerId})).automationRules),
    findRule: (ruleId) => reads.share(['rule', ruleId], () => findOrUndefined(client.rules.get({ruleId}))),
    describeFailure: (error) => (error instanceof SvcError ? joinSentences([error.sentence, error.hint]) : undefined),
    journal,
    events,
  }
}

// Shares reads of the last seconds, so that one page, or a click back, does not send the same request twice.
export function createRecentReads(keptMs = 15_000) {
  const recent = new Map<string, Promise<unknown>>()
  return {
    // A failed read is forgotten at once: reloading the page tries again.
    share<T>(parts: readonly unknown[], read: () => Promise<T>): Promise<T> {
      const key = JSON.stringify(parts)
      const known = recent.get(key)
      if (known) return known as Promise<T>
      const reading = read()
      const forget = () => void (recent.get(key) === reading && recent.delete(key))
      recent.set(key, reading)
      reading.catch(forget)
      setTimeout(forget, keptMs).unref()
      return reading
    },
  }
}

const toConsoleEvent = (event: StoredEvent): ConsoleEvent => {
  const {id, type, receivedAt, verified, parsed} = toRecordedEvent(event)
  return {
    eventId: id,
    type,
    at: new Date(receivedAt).toISOString(),
    customerId: parsed?.customerId,
    customerStatus: parsed?.customerStatus,
    issues: parsed?.customer?.verificationIssues,
    status: verified ? 'VERIFIED' : 'UNVERIFIED',
  }
}

// The events that `svc events listen` stored on this machine. Undefined if nothing was ever received here.
export function findEventSource(file = getEventStoreFile()): EventSource | undefined {
  if (!fs.existsSync(file)) return undefined
  return {
    description: 'Events that svc events listen received on this machine, whichever profile they belong to.',
    listEvents: async (count, customerId) =>
      withStore(file, (store) => listNewestEvents(store, customerId, count).map(toConsoleEvent)) ?? [],
    findEvent: async (eventId) => {
      const event = withStore(file, (store) => findEvent(store, eventId))
      return event && toConsoleEvent(event)
    },
  }
}

// What the console shows of the journal on this machine: the payments of one service. A sandbox that is served has two names, that of
// its file and its address.
const newestFirst = (one: JournalEntry, other: JournalEntry) =>
  (other.createdAt ?? '').localeCompare(one.createdAt ?? '') || other.key.localeCompare(one.key)

export function createJournalSource(
  serviceIds: readonly string[],
  journal: JournalAddress,
  controls?: ControlsSource,
): JournalSource {
  const list = async (filter: Omit<PaymentFilter, 'serviceId'>) =>
    (await Promise.all(serviceIds.map((serviceId) => listEntries({...filter, serviceId, journal})))).flat()
  const findPayment = async (key: string): Promise<JournalPayment | undefined> => {
    const reads = serviceIds.map((serviceId) => findOrUndefined(findEntry({serviceId, journal}, key)))
    return (await Promise.all(reads)).find((entry) => entry !== undefined)
  }
  return {
    controls,
    readNow: Date.now,
    listPayments: async (count) => (await list({newestCount: count})).toSorted(newestFirst).slice(0, count),
    async listOpenPayments(sinceMs) {
      const reads = serviceIds.map((serviceId) => listOpenEntries({serviceId, journal}, sinceMs))
      return (await Promise.all(reads)).flat().toSorted(newestFirst)
    },
    listDealtWith: () =>
      readJournal(new Set<string>(), async (opened) => new Set((await readDealtWith(opened)).keys()), {journal}),
    findPayment,
    async findPaymentOf(transactionId) {
      const [entry] = await list({transactionIds: [transactionId], newestCount: 1})
      return entry && findPayment(entry.key)
    },
  }
}
