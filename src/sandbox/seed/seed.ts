// Fills a database with demo customers. Their ids are the same on every machine, so that documentation can name them.
import {limits} from '../../contract/limits.ts'
import {readNow} from '../time/clock.ts'
import {insertCustomer, type KybData, type KycData, type VerificationData} from '../service/customers/customer-store.ts'
import type {RequestContext} from '../service/request-context.ts'
import type {Database} from '../store/database.ts'
import {
  type DemoCustomer,
  demoCustomers,
  demoFirstNames,
  demoIssueCodes,
  demoLastNames,
  demoOrganizations,
  demoAddresses,
  demoStatusShares,
  demoTrades,
} from './demo-data.ts'
import {deriveDigest, createOpaqueId, createOpaqueIds, toUuid} from '../store/ids.ts'
import type {Entry} from '../service/money/ledger.ts'
import {insertOrganization} from '../store/organizations.ts'
import {enqueue} from '../time/queue.ts'
import {type InitialSettings, writeSettings} from '../store/settings.ts'
import {
  customersWithAccountsMax,
  type DemoOwner,
  demoSeed,
  fillWallets,
  writeDemoAccounts,
  writeDemoTransactions,
} from './demo-money.ts'
import {createIssue} from '../service/customers/issues.ts'
import {dayMs, secondMs} from '../../values/time.ts'

const demoSpanMs = 8 * 7 * dayMs
const reviewTookMs = 7 * 60 * secondMs
const manualReviewMs = limits.manualReviewBusinessDaysMax * dayMs

// Every third generated customer is a business.
const businessEvery = 3

const statuses = demoStatusShares.flatMap(([status, share]) => Array<typeof status>(share).fill(status))
const organizationIds = demoOrganizations.map((_, index) => toUuid(deriveDigest(demoSeed, 'organization', index + 1)))
const countries = Object.keys(demoAddresses) as (keyof typeof demoAddresses)[]

// Picks from a list by one part of a digest, the same on every machine.
function pick<T>(list: readonly T[], digest: string, piece: number): T {
  const hexDigits = 8
  const index = Number.parseInt(digest.slice(piece * hexDigits, (piece + 1) * hexDigits), 16) % list.length
  return list[index] as T
}

function generateCustomer(number: number, digest: string): DemoCustomer {
  const customerStatus = pick(statuses, digest, 0)
  const [first, last] = [pick(demoFirstNames, digest, 1), pick(demoLastNames, digest, 2)]
  const hasIssues = customerStatus === 'NEEDS_ADDITIONAL_INFORMATION' || customerStatus === 'REJECTED'
  const isBusiness = number % businessEvery === 0
  return {
    customerType: isBusiness ? 'BUSINESS' : 'INDIVIDUAL',
    customerStatus,
    names: isBusiness ? [`${last} ${pick(demoTrades, digest, 3)}`] : [first, last],
    email: `customer.${number}@example.org`,
    country: pick(countries, digest, 4),
    ...(hasIssues && {issues: [{code: pick(demoIssueCodes, digest, 5)}]}),
  }
}

// A complete submission of a person. The phone numbers are from a range reserved for fiction.
const buildKycData = (first: string, last: string, country: DemoCustomer['country'], number: number): KycData => ({
  legalFirstName: first,
  legalLastName: last,
  phoneNumber: `+447700900${String(number % 1_000).padStart(3, '0')}`,
  dateOfBirth: '1988-03-14',
  address: demoAddresses[country],
  nationality: country,
  documents: [
    {
      type: 'GOVERNMENT_ID',
      subtype: 'PASSPORT',
      countryCode: country,
      documentIdNumber: `DEMO${number}`,
      issuanceDate: '2022-06-01',
      expirationDate: '2042-06-01',
      // Only the presence of an image is checked. Real images would make the database large.
      frontIdImage: 'data:image/jpeg;base64,',
    },
  ],
})

function buildVerificationData(
  {customerType, customerStatus, names, country, missingFields = []}: DemoCustomer,
  number: number,
) {
  if (customerStatus === 'CREATED') return {}
  const [name, last] = names
  const businessData: KybData = {
    businessInfo: {legalBusinessName: name, registrationCountry: country},
    businessRegisteredAddress: demoAddresses[country],
    associatedPersons: [buildKycData('Robin', 'Merriweath', country, number)],
    businessDocuments: [{type: 'ARTICLES_OF_INCORPORATION', documentImage: 'data:application/pdf;base64,'}],
  }
  const data = customerType === 'BUSINESS' ? businessData : buildKycData(name, last ?? '', country, number)
  return Object.fromEntries(
    Object.entries(data).filter(([field]) => !missingFields.includes(field)),
  ) as VerificationData
}

type SeedContext = Pick<RequestContext, 'database' | 'now'>

// A demo customer under review waits for a manual review, which takes days, so that it stays in this status.
function writeCustomer(
  context: SeedContext,
  demo: DemoCustomer,
  number: number,
  digest: string,
  ageMs: number,
  formToken: string,
): DemoOwner {
  const {database} = context
  const createdAt = Math.floor((context.now - ageMs) / secondMs) * secondMs
  const updatedAt = demo.customerStatus === 'CREATED' ? createdAt : Math.min(createdAt + reviewTookMs, context.now)
  const customerId = toUuid(digest)
  const name = demo.names.join(' ')
  insertCustomer(database, {
    customerId,
    organizationId: pick(organizationIds, digest, 6),
    customerType: demo.customerType,
    customerStatus: demo.customerStatus,
    name,
    statedName: name,
    email: demo.email,
    createdAt,
    updatedAt,
    formToken,
    issues: (demo.issues ?? []).map((finding) => createIssue(finding, updatedAt)),
    data: buildVerificationData(demo, number),
  })
  if (demo.customerStatus === 'UNDER_REVIEW') {
    enqueue(context, 'verification.decide', {customerId, review: 0}, context.now + manualReviewMs)
  }
  const isActive = demo.customerStatus === 'ACTIVE'
  return {customerId, number, digest, name, email: demo.email, isActive, createdAt, updatedAt}
}

// Adds the next demo customers in the caller's transaction, created over the past weeks, newest first.
export function addDemoCustomers(context: SeedContext, count: number) {
  const {database} = context
  const {before} = database.one<{before: number}>('select demoCustomerCount as before from sandbox') as {before: number}
  const fillings: Entry[] = []
  const owners: DemoOwner[] = []
  // Customers without accounts create no other ids, so theirs are created together.
  let formTokens: string[] = []
  const createFormToken = (number: number, left: number) => {
    if (number <= customersWithAccountsMax) return createOpaqueId(database, 'form')
    if (formTokens.length === 0) formTokens = createOpaqueIds(database, 'form', left).toReversed()
    return formTokens.pop() as string
  }
  for (let index = 0; index < count; index++) {
    const number = before + index + 1
    const digest = deriveDigest(demoSeed, 'customer', number)
    const demo = demoCustomers[number - 1] ?? generateCustomer(number, digest)
    const formToken = createFormToken(number, count - index)
    const ageMs = (demoSpanMs * (index + 1)) / (count + 1)
    const owner = writeCustomer(context, demo, number, digest, ageMs, formToken)
    fillings.push(...writeDemoAccounts(database, owner))
    if (owner.isActive && number <= demoCustomers.length) owners.push(owner)
  }
  fillWallets(context, fillings)
  for (const owner of owners) writeDemoTransactions(context, owner)
  database.run('update sandbox set demoCustomerCount = ?', before + count)
}

// Fills an empty database.
export function initializeSandbox(database: Database, initialSettings: InitialSettings, previousApiKey?: string) {
  writeSettings(database, initialSettings, previousApiKey)
  for (const [index, name] of demoOrganizations.entries()) {
    insertOrganization(database, {organizationId: organizationIds[index] as string, name})
  }
  addDemoCustomers({database, now: readNow(database)}, demoCustomers.length)
}
