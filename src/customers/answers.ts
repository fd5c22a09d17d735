// Keeps what a person typed about a customer, in files that only their owner can read: a draft while it is typed, and afterwards
// what was sent, since the service never shows it again and a correction needs it. All of it is removed as soon as svc sees that
// the customer takes no more data, and after 30 days at the latest.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type {Client} from '../client/client.ts'
import {type LooseCustomer, readCode} from '../contract/loose.ts'
import {type Caller, identifyService} from '../profiles/caller.ts'
import {getStateFolder} from '../storage/folders.ts'
import {keepPrivateFile} from '../storage/private-file.ts'
import type {Body} from '../values/body-paths.ts'
import {isRecord} from '../values/records.ts'
import {dayMs} from '../values/time.ts'

const keptMaxMs = 30 * dayMs

export interface StoredDraft {
  // The words of the command that goes on with it, such as `customers fix ID`.
  command: readonly string[]
  savedAtMs: number
  body: Body
  // The paths of the questions that were dealt with.
  passed: readonly string[]
}

interface Entry {
  draft?: StoredDraft | undefined
  // The verification data that was sent last, with documents as paths.
  sent?: Body | undefined
}

// In place of an id, for a customer that is not created yet.
export const newCustomer = 'new'

const getFolder = () => path.join(getStateFolder(), 'answers')

const getSuffix = (caller: Caller) => {
  const owner = JSON.stringify([identifyService(caller), caller.profileName])
  return `.${createHash('sha256').update(owner).digest('hex').slice(0, 16)}.json`
}

const getFile = (caller: Caller, customerId: string) =>
  path.join(getFolder(), `${customerId.toLowerCase()}${getSuffix(caller)}`)

// The names of all files but those that are too old, which are removed. A folder that cannot be
// read, as one that another user made, has none: commands that read customers work without it.
function listFiles(): string[] {
  try {
    const names = fs.readdirSync(getFolder())
    const isOld = (name: string) => {
      const stats = fs.statSync(path.join(getFolder(), name), {throwIfNoEntry: false})
      return stats !== undefined && Date.now() - stats.mtimeMs > keptMaxMs
    }
    const old = new Set(names.filter(isOld))
    for (const name of old) removeFile(name)
    return names.filter((name) => !old.has(name))
  } catch {
    return []
  }
}

// Where nothing can be removed now, a later command does it.
function removeFile(name: string): void {
  try {
    fs.rmSync(path.join(getFolder(), name), {force: true})
  } catch {}
}

const isDraft = (value: unknown) =>
  isRecord(value) && isRecord(value['body']) && Array.isArray(value['passed']) && Array.isArray(value['command'])

function readEntry(file: string): Entry {
  listFiles()
  try {
    const {draft, sent} = JSON.parse(fs.readFileSync(file, 'utf8')) as Entry
    return {draft: isDraft(draft) ? draft : undefined, sent: isRecord(sent) ? sent : undefined}
  } catch {
    // Nothing is kept.
    return {}
  }
}

function writeEntry(file: string, entry: Entry): void {
  if (entry.draft === undefined && entry.sent === undefined) return removeFile(path.basename(file))
  keepPrivateFile(file, `${JSON.stringify(entry)}\n`)
}

// What is kept about a customer of this service, with this profile.
export const readAnswers = (caller: Caller, customerId: string): Entry => readEntry(getFile(caller, customerId))

// Complete on disk when it returns, so that not even a crash of the machine loses an answer. Undefined removes the draft.
export function saveDraft(caller: Caller, customerId: string, draft: StoredDraft | undefined): void {
  const file = getFile(caller, customerId)
  writeEntry(file, {...readEntry(file), draft})
}

// Answers that were not sent, by the commands that go on with them.
export function listDrafts(caller: Caller): Array<Pick<StoredDraft, 'command' | 'savedAtMs'>> {
  const own = listFiles().filter((name) => name.endsWith(getSuffix(caller)))
  return own.flatMap((name) => readEntry(path.join(getFolder(), name)).draft ?? [])
}

// What a file has is kept only beside what was typed before. Without a place to keep it, the next correction asks for everything
// again.
export function keepSentAnswers(caller: Caller, customerId: unknown, body: Body, isTyped: boolean): void {
  if (typeof customerId !== 'string' || !/^[\w-]+$/.test(customerId)) return
  const before = readAnswers(caller, customerId).sent
  const sent = replaceParts(before ?? {}, body)
  if (!(before || isTyped) || !(sent['kycData'] ?? sent['kybData'])) return
  try {
    writeEntry(getFile(caller, customerId), {sent})
  } catch {}
}

const endedStatuses: ReadonlySet<string> = new Set(['ACTIVE', 'REJECTED', 'DEACTIVATED'])

// A customer whose verification has ended takes no more data.
function forgetEnded(customers: readonly unknown[]): void {
  const names = listFiles()
  if (names.length === 0) return
  const ended = new Set(
    customers.flatMap((customer) => {
      const {customerId, customerStatus}: LooseCustomer = isRecord(customer) ? customer : {}
      return endedStatuses.has(readCode(customerStatus)) ? String(customerId).toLowerCase() : []
    }),
  )
  for (const name of names) {
    if (ended.has(name.split('.', 1)[0] ?? '')) removeFile(name)
  }
}

type Query<Name extends 'get' | 'list'> = Parameters<Client['customers'][Name]>[0]

// How commands read customers, so that each removes the answers about those that it sees have ended.
export async function readCustomer(client: Client, query: Query<'get'>) {
  const customer = await client.customers.get(query)
  forgetEnded([customer])
  return customer
}

export async function listCustomers(client: Client, query: Query<'list'>) {
  const page = await client.customers.list(query)
  forgetEnded(Array.isArray(page.customers) ? page.customers : [])
  return page
}

// A correction replaces the parts that it has as a whole: an address, or a list of people.
export function replaceParts(known: Body, sent: Body): Body {
  const replace = (field: 'kycData' | 'kybData') => {
    const [before, after] = [known[field], sent[field]]
    return isRecord(before) && isRecord(after) ? {...before, ...after} : (after ?? before)
  }
  return {kycData: replace('kycData'), kybData: replace('kybData')}
}
