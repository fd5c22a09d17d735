// The people and businesses in a new sandbox. All of them are fictional, and their email addresses do not exist.
import type {Customer} from '../../contract/customers.ts'
import type {CustomerStatus} from '../../contract/customer-statuses.ts'
import type {Issue} from '../service/customers/customer-store.ts'
import type {Finding} from '../../values/review-data.ts'

export const demoOrganizations = ['Harbour Street Payments', 'Nordlys Remittance'] as const

interface Address {
  countryCode: string
  streetLine1: string
  city: string
  stateRegionProvince?: string
  postalCode?: string
}

export const demoAddresses = {
  AR: {countryCode: 'AR', streetLine1: 'Pasaje Los Ceibos 318', city: 'Rosario', postalCode: 'S2000'},
  BR: {
    countryCode: 'BR',
    streetLine1: 'Rua das Jabuticabas 77',
    city: 'Campinas',
    stateRegionProvince: 'SP',
    postalCode: '13010-000',
  },
  CA: {
    countryCode: 'CA',
    streetLine1: '88 Tidewater Crescent',
    city: 'Halifax',
    stateRegionProvince: 'NS',
    postalCode: 'B3H 0A1',
  },
  DE: {countryCode: 'DE', streetLine1: 'Lindenhofweg 14', city: 'Kassel', postalCode: '34117'},
  EG: {countryCode: 'EG', streetLine1: '9 Nakheel Street', city: 'Alexandria', postalCode: '21500'},
  FR: {countryCode: 'FR', streetLine1: '23 rue des Acacias', city: 'Nantes', postalCode: '44000'},
  GB: {countryCode: 'GB', streetLine1: '5 Millrace Lane', city: 'York', postalCode: 'YO1 7HH'},
  IN: {
    countryCode: 'IN',
    streetLine1: '41 Temple Tank Road',
    city: 'Pune',
    stateRegionProvince: 'MH',
    postalCode: '411001',
  },
  JP: {countryCode: 'JP', streetLine1: '桜町三丁目2-8', city: '金沢市', postalCode: '920-0923'},
  KE: {countryCode: 'KE', streetLine1: '12 Jacaranda Close', city: 'Nakuru', postalCode: '20100'},
  KR: {countryCode: 'KR', streetLine1: '은행나무길 27', city: '전주시', postalCode: '54999'},
  NG: {countryCode: 'NG', streetLine1: '16 Palm Grove Avenue', city: 'Ibadan', postalCode: '200001'},
  NO: {countryCode: 'NO', streetLine1: 'Naustveien 3B', city: 'Ålesund', postalCode: '6002'},
  PL: {countryCode: 'PL', streetLine1: 'ulica Brzozowa 6', city: 'Toruń', postalCode: '87-100'},
  SE: {countryCode: 'SE', streetLine1: 'Björkstigen 12', city: 'Uppsala', postalCode: '753 10'},
  US: {
    countryCode: 'US',
    streetLine1: '410 Cedar Hollow Road',
    city: 'Springfield',
    stateRegionProvince: 'IL',
    postalCode: '62701',
  },
  VN: {countryCode: 'VN', streetLine1: '35 Hoa Sen', city: 'Huế', postalCode: '530000'},
} as const satisfies Record<string, Address>

export interface DemoCustomer {
  customerType: Customer['customerType']
  customerStatus: CustomerStatus
  // First and last name of a person, or the name of a business.
  names: readonly [string] | readonly [string, string]
  email: string
  country: keyof typeof demoAddresses
  // Without a message of its own, an issue has the message of the contract.
  issues?: readonly Finding[]
  // Fields that are missing in the submission, so that the issues are true and can be corrected.
  missingFields?: readonly string[]
}

const individual = (
  customerStatus: CustomerStatus,
  names: readonly [string, string],
  email: string,
  country: keyof typeof demoAddresses,
  more: Pick<DemoCustomer, 'issues' | 'missingFields'> = {},
): DemoCustomer => ({customerType: 'INDIVIDUAL', customerStatus, names, email, country, ...more})

const business = (
  customerStatus: CustomerStatus,
  name: string,
  email: string,
  country: keyof typeof demoAddresses,
  more: Pick<DemoCustomer, 'issues' | 'missingFields'> = {},
): DemoCustomer => ({customerType: 'BUSINESS', customerStatus, names: [name], email, country, ...more})

// Newest first, as in the list.
export const demoCustomers: readonly DemoCustomer[] = [
  individual('CREATED', ['Grace', 'Holloway-Pike'], 'grace.holloway@example.com', 'US'),
  business('UNDER_REVIEW', 'Sahyadri Textiles Pvt Ltd', 'sahyadri@example.com', 'IN'),
  individual('UNDER_REVIEW', ['Priya', 'Raghunath'], 'priya.r@example.com', 'IN'),
  individual('NEEDS_ADDITIONAL_INFORMATION', ['Mateo', 'Quiroga'], 'mateo.q@example.com', 'AR', {
    issues: [{code: 'NO_GOVERNMENT_ID'}],
    missingFields: ['documents'],
  }),
  business('NEEDS_ADDITIONAL_INFORMATION', 'Bäckerei Sonnenkorn GmbH', 'sonnenkorn@example.org', 'DE', {
    issues: [
      {
        code: 'INVALID_PARAMETERS',
        message: 'Missing: associatedPersons. Provide them.',
        paths: ['associatedPersons'],
      },
    ],
    missingFields: ['associatedPersons'],
  }),
  individual('ACTIVE', ['Zoë', 'Ångström'], 'zoe.angstrom@example.org', 'SE'),
  business('ACTIVE', '株式会社ひかり', 'hikari@example.com', 'JP'),
  individual('NEEDS_ADDITIONAL_INFORMATION', ['Noor', 'El-Sabbagh'], 'noor@example.org', 'EG', {
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
  business('CREATED', 'Café Lumière Bleue SARL', 'lumierebleue@example.com', 'FR'),
  individual('ACTIVE', ['Amara', 'Nwabueze'], 'amara.n@example.com', 'NG'),
  individual('REJECTED', ['Jonas', 'Feldkirch'], 'jonas.f@example.org', 'DE', {issues: [{code: 'FRAUD_WARNING'}]}),
  business('ACTIVE', 'Copper Kettle Trading LLC', 'copperkettle@example.com', 'US'),
  individual('CREATED', ['하늘', '온'], 'haneul.on@example.com', 'KR'),
  individual('ACTIVE', ['Łucjan', 'Wiśniarek'], 'lucjan.w@example.org', 'PL'),
  business('NEEDS_ADDITIONAL_INFORMATION', 'Açaí do Vale Ltda', 'acaidovale@example.com', 'BR', {
    issues: [{code: 'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY'}, {code: 'ID_NUMBER_NOT_VERIFIED'}],
  }),
  individual('NEEDS_ADDITIONAL_INFORMATION', ['Émilie', 'Larroquet'], 'emilie.l@example.com', 'FR', {
    issues: [{code: 'DOC_QUALITY_POOR'}, {code: 'DATABASE_CHECK_FAILED_ON_POSTAL_CODE'}],
  }),
  individual('UNDER_REVIEW', ['Minh Khuê', 'Đặng'], 'minhkhue@example.org', 'VN'),
  business('REJECTED', 'Quarrystone Freight Ltd', 'quarrystone@example.org', 'GB', {
    issues: [{code: 'AML_MATCH'}],
  }),
  individual('ACTIVE', ['Tomás', 'Ferraz-Lima'], 'tomas.fl@example.com', 'BR'),
  business('ACTIVE', 'Maple & Tide Logistics Inc.', 'mapletide@example.com', 'CA'),
  individual('DEACTIVATED', ['Wanjiru', 'Kamotho'], 'wanjiru.k@example.com', 'KE'),
  business('CREATED', 'Savanna Solar Cooperative', 'savannasolar@example.org', 'KE'),
  individual('ACTIVE', ['Callum', 'Thistlewood'], 'callum.t@example.org', 'GB'),
  business('DEACTIVATED', 'Fjordlys Havbruk AS', 'fjordlys@example.org', 'NO'),
]

// For generated customers.
export const demoFirstNames = [
  'Ada',
  'Björn',
  'Chidi',
  'Dunja',
  'Elif',
  'Farid',
  'Goran',
  'Hana',
  'Inés',
  'Jules',
  'Kofi',
  'Liên',
]
export const demoLastNames = [
  'Alderwick',
  'Brandtner',
  'Castellar',
  'Dvořálek',
  'Eskildsen',
  'Fontanel',
  'Grünholz',
  'Hayashida',
  'Ibekwe',
]
export const demoTrades = ['Bakery', 'Books', 'Ceramics', 'Farms', 'Freight', 'Instruments', 'Optics', 'Textiles']

export const demoIssueCodes: readonly Issue['code'][] = [
  'DOC_QUALITY_POOR',
  'DOCUMENT_EXPIRED',
  'NO_FACE_PORTRAIT',
  'DATABASE_CHECK_FAILED_ON_CITY',
  'ID_DATA_MISMATCH',
  'SCREEN_DETECTED',
]

// How many of twenty generated customers are in each status.
export const demoStatusShares: readonly (readonly [CustomerStatus, number])[] = [
  ['ACTIVE', 12],
  ['CREATED', 2],
  ['UNDER_REVIEW', 2],
  ['NEEDS_ADDITIONAL_INFORMATION', 2],
  ['REJECTED', 1],
  ['DEACTIVATED', 1],
]
