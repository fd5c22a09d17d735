// Fills a database with demo customers. Their ids are the same on every machine, so that documentation can name them.
import {secondMs, dayMs} from '../../values/time.ts'
import {type CustomerStatus, limits} from '../../contract/vocabulary.ts'
import type {Customer} from '../../contract/customers.ts'
import type {Finding} from '../../values/review-data.ts'
import {type KybData, type KycData, type VerificationData, insertCustomer} from '../service/customers/customer-store.ts'
import {createIssue} from '../service/customers/verification.ts'
import type {Entry} from '../service/money/ledger.ts'
import type {RequestContext} from '../service/request-context.ts'
import type {Database} from '../store/database.ts'
import {createOpaqueId, deriveDigest, toUuid} from '../store/ids.ts'
import {type InitialSettings, insertOrganization, writeSettings} from '../store/settings.ts'
import {readNow} from '../time/clock.ts'
import {enqueue} from '../time/queue.ts'
import {type DemoOwner, demoSeed, fillWallets, writeDemoAccounts, writeDemoTransactions} from './demo-money.ts'

// The people and businesses in a new sandbox. All of them are fictional, and their email addresses do not exist.
const demoOrganizations = ['Harbour Street Payments', 'Nordlys Remittance'] as const

// The street, the city, the postal code, and the state where one belongs to the address.
const addressLines = {
  AR: ['Pasaje Los Ceibos 318', 'Rosario', 'S2000'],
  BR: ['Rua das Jabuticabas 77', 'Campinas', '13010-000', 'SP'],
  CA: ['88 Tidewater Crescent', 'Halifax', 'B3H 0A1', 'NS'],
  DE: ['Lindenhofweg 14', 'Kassel', '34117'],
  EG: ['9 Nakheel Street', 'Alexandria', '21500'],
  FR: ['23 rue des Acacias', 'Nantes', '44000'],
  GB: ['5 Millrace Lane', 'York', 'YO1 7HH'],
  IN: ['41 Temple Tank Road', 'Pune', '411001', 'MH'],
  JP: ['桜町三丁目2-8', '金沢市', '920-0923'],
  KE: ['12 Jacaranda Close', 'Nakuru', '20100'],
  KR: ['은행나무길 27', '전주시', '54999'],
  NG: ['16 Palm Grove Avenue', 'Ibadan', '200001'],
  NO: ['Naustveien 3B', 'Ålesund', '6002'],
  PL: ['ulica Brzozowa 6', 'Toruń', '87-100'],
  SE: ['Björkstigen 12', 'Uppsala', '753 10'],
  US: ['410 Cedar Hollow Road', 'Springfield', '62701', 'IL'],
  VN: ['35 Hoa Sen', 'Huế', '530000'],
} as const

type DemoCountry = keyof typeof addressLines

function createDemoAddress(countryCode: DemoCountry) {
  const [streetLine1, city, postalCode, stateRegionProvince] = addressLines[countryCode]
  return {countryCode, streetLine1, city, ...(stateRegionProvince && {stateRegionProvince}), postalCode}
}

interface DemoCustomer {
  customerType: Customer['customerType']
  customerStatus: CustomerStatus
  // First and last name of a person, or the name of a business.
  names: readonly [string, string?]
  email: string
  country: DemoCountry
  // Without a message of its own, an issue has the message of the contract.
  issues?: readonly Finding[]
  // Fields that are missing in the submission, so that the issues are true and can be corrected.
  missingFields?: readonly string[]
}

// A business has one name.
const createDemo = (
  customerStatus: CustomerStatus,
  names: DemoCustomer['names'],
  email: string,
  country: DemoCountry,
  more: Pick<DemoCustomer, 'issues' | 'missingFields'> = {},
): DemoCustomer => ({
  customerType: names.length === 1 ? 'BUSINESS' : 'INDIVIDUAL',
  customerStatus,
  names,
  email,
  country,
  ...more,
})

// Newest first, as in the list.
const demoCustomers: readonly DemoCustomer[] = [
  createDemo('CREATED', ['Grace', 'Holloway-Pike'], 'grace.holloway@example.com', 'US'),
  createDemo('UNDER_REVIEW', ['Sahyadri Textiles Pvt Ltd'], 'sahyadri@example.com', 'IN'),
  createDemo('UNDER_REVIEW', ['Priya', 'Raghunath'], 'priya.r@example.com', 'IN'),
  createDemo('NEEDS_ADDITIONAL_INFORMATION', ['Mateo', 'Quiroga'], 'mateo.q@example.com', 'AR', {
    issues: [{code: 'NO_GOVERNMENT_ID'}],
    missingFields: ['documents'],
  }),
  createDemo('NEEDS_ADDITIONAL_INFORMATION', ['Bäckerei Sonnenkorn GmbH'], 'sonnenkorn@example.org', 'DE', {
    issues: [
      {
        code: 'INVALID_PARAMETERS',
        message: 'Missing: associatedPersons. Provide them.',
        paths: ['associatedPersons'],
      },
    ],
    missingFields: ['associatedPersons'],
  }),
  createDemo('ACTIVE', ['Zoë', 'Ångström'], 'zoe.angstrom@example.org', 'SE'),
  createDemo('ACTIVE', ['株式会社ひかり'], 'hikari@example.com', 'JP'),
  createDemo('NEEDS_ADDITIONAL_INFORMATION', ['Noor', 'El-Sabbagh'], 'noor@example.org', 'EG', {
    issues: [
      {
        code: 'INVALID_PARAMETERS',
        message: 'Missing: phoneNumber, nationality. Provide them.',
        paths: ['phoneNumber', 'nationality'],
      },
      {code: 'DOCUMENT_EXPIRED'},
      {code: 'DATABASE_CHECK_FAILED_ON_STREET_NAME'},
    ],
    missingFields: ['phoneNumber', 'nationality'],
  }),
  createDemo('CREATED', ['Café Lumière Bleue SARL'], 'lumierebleue@example.com', 'FR'),
  createDemo('ACTIVE', ['Amara', 'Nwabueze'], 'amara.n@example.com', 'NG'),
  createDemo('REJECTED', ['Jonas', 'Feldkirch'], 'jonas.f@example.org', 'DE', {issues: [{code: 'FRAUD_WARNING'}]}),
  createDemo('ACTIVE', ['Copper Kettle Trading LLC'], 'copperkettle@example.com', 'US'),
  createDemo('CREATED', ['하늘', '온'], 'haneul.on@example.com', 'KR'),
  createDemo('ACTIVE', ['Łucjan', 'Wiśniarek'], 'lucjan.w@example.org', 'PL'),
  createDemo('NEEDS_ADDITIONAL_INFORMATION', ['Açaí do Vale Ltda'], 'acaidovale@example.com', 'BR', {
    issues: [{code: 'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY'}, {code: 'ID_NUMBER_NOT_VERIFIED'}],
  }),
  createDemo('NEEDS_ADDITIONAL_INFORMATION', ['Émilie', 'Larroquet'], 'emilie.l@example.com', 'FR', {
    issues: [{code: 'DOC_QUALITY_POOR'}, {code: 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE'}],
  }),
  createDemo('UNDER_REVIEW', ['Minh Khuê', 'Đặng'], 'minhkhue@example.org', 'VN'),
  createDemo('REJECTED', ['Quarrystone Freight Ltd'], 'quarrystone@example.org', 'GB', {
    issues: [{code: 'AML_MATCH'}],
  }),
  createDemo('ACTIVE', ['Tomás', 'Ferraz-Lima'], 'tomas.fl@example.com', 'BR'),
  createDemo('ACTIVE', ['Maple & Tide Logistics Inc.'], 'mapletide@example.com', 'CA'),
  createDemo('DEACTIVATED', ['Wanjiru', 'Kamotho'], 'wanjiru.k@example.com', 'KE'),
  createDemo('CREATED', ['Savanna Solar Cooperative'], 'savannasolar@example.org', 'KE'),
  createDemo('ACTIVE', ['Callum', 'Thistlewood'], 'callum.t@example.org', 'GB'),
  createDemo('DEACTIVATED', ['Fjordlys Havbruk AS'], 'fjordlys@example.org', 'NO'),
]

const demoSpanMs = 8 * 7 * dayMs
const reviewTookMs = 7 * 60 * secondMs
const manualReviewMs = limits.manualReviewBusinessDaysMax * dayMs

const organizationIds = demoOrganizations.map((_, index) => toUuid(deriveDigest(demoSeed, 'organization', index + 1)))

// Picks from a list by one part of a digest, the same on every machine.
function pick<T>(list: readonly T[], digest: string, piece: number): T {
  const hexDigits = 8
  const index = Number.parseInt(digest.slice(piece * hexDigits, (piece + 1) * hexDigits), 16) % list.length
  return list[index] as T
}

// After the last one they begin again, with another name and email.
function findDemo(number: number): DemoCustomer {
  const demo = demoCustomers[(number - 1) % demoCustomers.length] as DemoCustomer
  if (number <= demoCustomers.length) return demo
  const [name, ...others] = demo.names
  return {...demo, names: [`${name} ${number}`, ...others], email: `customer.${number}@example.org`}
}

// A complete submission of a person. The phone numbers are from a range reserved for fiction.
const buildKycData = (first: string, last: string, country: DemoCustomer['country'], number: number): KycData => ({
  legalFirstName: first,
  legalLastName: last,
  phoneNumber: `+447700900${String(number % 1_000).padStart(3, '0')}`,
  dateOfBirth: '1988-03-14',
  address: createDemoAddress(country),
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
    businessRegisteredAddress: createDemoAddress(country),
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
    formToken: createOpaqueId(database, 'form'),
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
  const {before} = database.only<{before: number}>('select demoCustomerCount as before from sandbox')
  const fillings: Entry[] = []
  const owners: DemoOwner[] = []
  for (let index = 0; index < count; index++) {
    const number = before + index + 1
    const digest = deriveDigest(demoSeed, 'customer', number)
    const demo = findDemo(number)
    const ageMs = (demoSpanMs * (index + 1)) / (count + 1)
    const owner = writeCustomer(context, demo, number, digest, ageMs)
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
