// The verification issue codes: meaning, resolution, affected fields, and who can resolve each.

export type Resolver = 'CUSTOMER' | 'CUSTOMER_THEN_SUPPORT' | 'SUPPORT'

// The interface lists the codes in five groups. The group determines how an issue is resolved.
export const issueGroups = {
  DOCUMENT: {title: 'Document quality or upload', resolution: 'Upload clear, valid documents', resolver: 'CUSTOMER'},
  ADDRESS: {title: 'Address', resolution: 'Provide complete, valid address information', resolver: 'CUSTOMER'},
  CORRECT: {title: 'Review and correct', resolution: 'Review and correct the information', resolver: 'CUSTOMER'},
  REVIEW: {
    title: 'Review or contact support',
    resolution: 'Review the submission or contact support',
    resolver: 'CUSTOMER_THEN_SUPPORT',
  },
  SUPPORT: {title: 'Contact support', resolution: 'Contact support', resolver: 'SUPPORT'},
} as const satisfies Record<string, {title: string; resolution: string; resolver: Resolver}>

export type IssueGroup = keyof typeof issueGroups

// Paths are relative to a person: KYC data, or an associated person of a business.
const front = 'documents.frontIdImage'
const back = 'documents.backIdImage'
const proof = 'documents.proofOfAddressImage'
const idNumber = 'documents.documentIdNumber'
const names = ['legalFirstName', 'legalMiddleName', 'legalLastName']
const nationalId = ['nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry']
const idImages = [front, back]
const addressLines = [
  'address.streetLine1',
  'address.streetLine2',
  'address.city',
  'address.stateRegionProvince',
  'address.postalCode',
  'address.countryCode',
]

type Row = readonly [code: string, group: IssueGroup, meaning: string, ...fields: string[]]

const rows = [
  ['DOCUMENT_MISSING_BACK', 'DOCUMENT', 'The back of the document was not supplied', back],
  ['DOCUMENT_MISSING_FRONT', 'DOCUMENT', 'The front of the document was not supplied', front],
  ['DOCUMENT_NUMBER_UNREADABLE', 'DOCUMENT', 'The number on the document cannot be read', ...idImages, idNumber],
  ['DOC_QUALITY_POOR', 'DOCUMENT', 'The image of the document is too poor to check', ...idImages],
  ['NAME_UNREADABLE', 'DOCUMENT', 'The name on the document cannot be read', ...idImages],
  ['NO_FACE_PORTRAIT', 'DOCUMENT', 'The document shows no portrait', front],
  [
    'MISSING_ID_DETAILS',
    'DOCUMENT',
    'Details of the document are missing',
    'documents.subtype',
    'documents.countryCode',
    idNumber,
    'documents.issuanceDate',
    'documents.expirationDate',
  ],
  ['DOCUMENT_EXPIRED', 'DOCUMENT', 'The document has expired', ...idImages, 'documents.expirationDate'],
  ['NO_GOVERNMENT_ID', 'DOCUMENT', 'No government-issued photo ID was supplied', 'documents.type', ...idImages],
  ['DOCUMENT_NOT_FOUND', 'DOCUMENT', 'No document was found in the submission', 'documents.type', ...idImages],
  ['UNREADABLE_DOCUMENT', 'DOCUMENT', 'The document cannot be read', ...idImages],
  ['UNRECOGNIZED_DOCUMENT', 'DOCUMENT', 'The kind of document was not recognized', 'documents.subtype', ...idImages],
  ['MISSING_DOCUMENT_NUMBER', 'DOCUMENT', 'The number of the document is missing', idNumber],
  ['MISSING_ISSUE_DATE', 'DOCUMENT', 'The date of issue is missing', 'documents.issuanceDate'],
  ['MISSING_EXPIRY_DATE', 'DOCUMENT', 'The date of expiry is missing', 'documents.expirationDate'],
  ['DOCUMENT_FRONT_OR_BACK_MISSING', 'DOCUMENT', 'One side of the document is missing', ...idImages],
  ['DOCUMENT_BACK_MISSING', 'DOCUMENT', 'The back of the document is missing', back],

  [
    'ID_REQUIRES_ADDITIONAL_VERIFICATION',
    'ADDRESS',
    'The ID alone is not enough: the address must be shown as well',
    ...addressLines,
    proof,
  ],
  ['DATABASE_CHECK_FAILED_ON_STREET_NAME', 'ADDRESS', 'The street was not confirmed', 'address.streetLine1'],
  ['DATABASE_CHECK_FAILED_ON_CITY', 'ADDRESS', 'The city was not confirmed', 'address.city'],
  [
    'DATABASE_CHECK_FAILED_ON_SUBDIVISION',
    'ADDRESS',
    'The state, region or province was not confirmed',
    'address.stateRegionProvince',
  ],
  ['DATABASE_CHECK_FAILED_ON_POSTAL_CODE', 'ADDRESS', 'The postal code was not confirmed', 'address.postalCode'],
  ['ADDRESS_TOO_SHORT', 'ADDRESS', 'The street address is too short', 'address.streetLine1', 'address.streetLine2'],
  [
    'ADDRESS_DOCUMENT_DOCUMENT_NOT_ISSUED_RECENTLY',
    'ADDRESS',
    'The proof of address was issued more than 3 months ago',
    proof,
    'documents.issuanceDate',
  ],
  ['ADDRESS_DOCUMENT_MISSING_NAME', 'ADDRESS', 'The proof of address shows no name', proof],
  ['ADDRESS_DOCUMENT_MISSING_ADDRESS', 'ADDRESS', 'The proof of address shows no address', proof],
  [
    'ADDRESS_DOCUMENT_UNRECOGNIZED_DOCUMENT',
    'ADDRESS',
    'The proof of address is not a utility bill, bank statement or government letter',
    proof,
  ],
  [
    'ADDRESS_DOCUMENT_NAME_VERIFICATION_FAILED',
    'ADDRESS',
    'The name on the proof of address does not match',
    proof,
    ...names,
  ],

  [
    'ID_DATA_MISMATCH',
    'CORRECT',
    'The submitted data and the document differ',
    ...names,
    'dateOfBirth',
    ...nationalId,
    ...idImages,
  ],
  ['INVALID_PARAMETERS', 'CORRECT', 'Something in the submission is invalid: the message says what'],

  ['INCORRECT_ID_TYPE', 'REVIEW', 'The document is not of the type stated', 'documents.subtype', ...idImages],
  ['ID_COUNTRY_MISMATCH', 'REVIEW', 'The country of the document does not match', 'documents.countryCode', ...idImages],
  ['GOVERNMENT_ID_VERIFICATION_FAILED', 'REVIEW', 'The government ID could not be verified', ...idImages],
  ['DATABASE_CHECK_FAILED_ON_NAME_FIRST', 'REVIEW', 'The first name was not confirmed', 'legalFirstName'],
  ['DATABASE_CHECK_FAILED_ON_NAME_LAST', 'REVIEW', 'The last name was not confirmed', 'legalLastName'],
  [
    'DATABASE_CHECK_FAILED_ON_SOCIAL_SECURITY_NUMBER',
    'REVIEW',
    'The social security number was not confirmed',
    ...nationalId,
  ],
  ['INCONSISTENT_INFORMATION', 'REVIEW', 'Parts of the submission contradict each other: the message says which'],
  ['INCONSISTENT_DETAILS', 'REVIEW', 'Details of the submission contradict each other: the message says which'],
  ['VERIFICATION_ISSUE', 'REVIEW', 'A generic issue without a specific code; support has to investigate'],
  ['API_ERROR', 'REVIEW', 'The check failed for a technical reason'],
  ['NAME_VERIFICATION_FAILED', 'REVIEW', 'The name could not be verified', ...names],
  ['ID_TYPE_MISMATCH', 'REVIEW', 'The document and the stated type differ', 'documents.subtype', ...idImages],
  ['BIRTH_DATE_MISMATCH', 'REVIEW', 'The date of birth does not match', 'dateOfBirth'],
  ['ID_NUMBER_NOT_VERIFIED', 'REVIEW', 'The ID number could not be verified', ...nationalId, idNumber],
  ['MISSING_NAME', 'REVIEW', 'The name is missing', ...names],
  ['ID_NOT_ALLOWED', 'REVIEW', 'This kind of ID is not accepted', 'documents.subtype', ...idImages],
  ['SCREEN_DETECTED', 'REVIEW', 'The image is a screenshot or a photo of a screen', ...idImages, proof],
  ['AML_MATCH', 'REVIEW', 'The name matched an anti-money-laundering list'],
  ['DATABASE_LOOKUP_ISSUE', 'REVIEW', 'A database could not confirm the data'],
  ['THIRD_PARTY_API_FAILED', 'REVIEW', 'A third party that takes part in the check failed'],
  ['API_DATA_REQUIREMENTS_NOT_MET', 'REVIEW', 'The check needs data that the submission lacks: the message says which'],
  ['ID_WARNING', 'REVIEW', 'The ID raised a warning', ...idImages],
  ['AML_WARNING', 'REVIEW', 'An anti-money-laundering check raised a warning'],
  ['ADDITIONAL_WARNING', 'REVIEW', 'A further check raised a warning'],

  ['FACE_PREVIOUSLY_ONBOARDED', 'SUPPORT', 'The same face belongs to a customer who exists already'],
  ['ID_PREVIOUSLY_SEEN', 'SUPPORT', 'The same ID was submitted for another customer'],
  ['ID_PREVIOUSLY_ATTEMPTED', 'SUPPORT', 'The same ID was submitted before without success'],
  ['SUSPICIOUS_USER_BEHAVIOUR', 'SUPPORT', 'The submission looked suspicious'],
  ['WORKFLOW_CONFIG_ERROR', 'SUPPORT', 'The verification flow is set up wrongly'],
  ['FRAUD_WARNING', 'SUPPORT', 'A fraud check raised a warning'],
] as const satisfies readonly Row[]

type IssueCode = (typeof rows)[number][0]

export interface IssueCodeEntry {
  code: IssueCode
  group: IssueGroup
  meaning: string
  resolution: string
  resolver: Resolver
  fields: readonly string[]
}

export const issueCodes: readonly IssueCodeEntry[] = rows.map(([code, group, meaning, ...fields]) => ({
  code,
  group,
  meaning,
  resolution: issueGroups[group].resolution,
  resolver: issueGroups[group].resolver,
  fields,
}))
