// Labels and hints for the fields of verification data, for every form, wizard, template and page that names them.
import type {
  address,
  associatedPerson,
  businessDocument,
  businessInfo,
  document,
  kybData,
  kycData,
} from './verification-data.ts'

export interface Label {
  label: string
  // Advice that goes beyond the contract's own format rule.
  hint?: string
  // Advice for who writes a file. A form says it once for a group of fields.
  fileHint?: string
  // The HTML autocomplete value, for fields about the person who fills in the form.
  autocomplete?: string
  // Verification asks again for a submission that has this part but not this field.
  isNeededForApproval?: boolean
  // svc finds it out where it can, although the service requires it.
  isFoundOut?: boolean
  // Only this kind of document has the field.
  only?: 'GOVERNMENT_ID' | 'PROOF_OF_ADDRESS'
}

export type LabelsByField<T extends {shape: object}> = Record<keyof T['shape'], Label>

const wholeNationalId = 'Give all three fields of a national ID, or none'

const person = {
  legalFirstName: {label: 'First name', hint: 'As on the ID', autocomplete: 'given-name', isNeededForApproval: true},
  legalMiddleName: {label: 'Middle name', autocomplete: 'additional-name'},
  legalLastName: {label: 'Last name', hint: 'As on the ID', autocomplete: 'family-name', isNeededForApproval: true},
  dateOfBirth: {label: 'Date of birth', hint: 'At least 18 years ago', autocomplete: 'bday', isNeededForApproval: true},
  nationality: {label: 'Nationality', isNeededForApproval: true},
  phoneNumber: {label: 'Phone number', hint: 'With its country code', autocomplete: 'tel', isNeededForApproval: true},
  nationalIdType: {label: 'Kind of national ID', fileHint: wholeNationalId},
  nationalIdNumber: {label: 'Number of the national ID', fileHint: wholeNationalId},
  nationalIdIssuingCountry: {label: 'Country that issued the national ID', fileHint: wholeNationalId},
  address: {label: 'Home address', isNeededForApproval: true},
} satisfies Record<string, Label>

const documents: Label = {
  label: 'Documents',
  fileHint: 'At least one government-issued photo ID; the list replaces an earlier one',
  isNeededForApproval: true,
}

export const kycLabels: LabelsByField<typeof kycData> = {
  ...person,
  employmentStatus: {label: 'Employment'},
  mostRecentOccupation: {label: 'Occupation', hint: 'A title, or a code of six digits'},
  sourceOfFunds: {label: 'Where the money comes from'},
  accountPurpose: {label: 'What the account is for'},
  accountPurposeOther: {label: 'Another purpose', hint: 'In your own words'},
  expectedMonthlyPaymentsUsd: {label: 'Payments expected in a month, in USD'},
  isIntermediary: {label: 'Do you act on behalf of others?'},
  documents,
}

export const personLabels: LabelsByField<typeof associatedPerson> = {
  ...person,
  email: {label: 'Email address', hint: 'Such as ada@example.com'},
  title: {label: 'Title in the business', hint: 'Such as Managing director'},
  ownershipPercentage: {label: 'Share of the business in per cent'},
  isControlPerson: {label: 'Does this person control the business?'},
  isSigner: {label: 'May this person sign for the business?'},
  isDirector: {label: 'Is this person a director?'},
  documents,
}

export const addressLabels: LabelsByField<typeof address> = {
  countryCode: {label: 'Country', autocomplete: 'country', isNeededForApproval: true},
  streetLine1: {label: 'Street and number', autocomplete: 'address-line1', isNeededForApproval: true},
  streetLine2: {label: 'Flat, floor or building', autocomplete: 'address-line2'},
  city: {label: 'City', autocomplete: 'address-level2', isNeededForApproval: true},
  stateRegionProvince: {
    label: 'State, region or province',
    hint: 'The state code if there is one, such as CA',
    autocomplete: 'address-level1',
  },
  postalCode: {label: 'Postal code', hint: 'In the format of the country', autocomplete: 'postal-code'},
  locale: {label: 'Language of the address', hint: 'A tag such as en-GB'},
}

export const documentLabels: LabelsByField<typeof document> = {
  type: {label: 'Kind of document', isNeededForApproval: true},
  subtype: {label: 'Which document', isNeededForApproval: true, only: 'GOVERNMENT_ID'},
  countryCode: {label: 'Country that issued it', isNeededForApproval: true, only: 'GOVERNMENT_ID'},
  documentIdNumber: {label: 'Number on the document', isNeededForApproval: true, only: 'GOVERNMENT_ID'},
  issuanceDate: {
    label: 'Issued on',
    hint: 'A proof of address must be issued within the last 3 months',
    isNeededForApproval: true,
  },
  expirationDate: {
    label: 'Valid until',
    hint: 'It must not have expired',
    isNeededForApproval: true,
    only: 'GOVERNMENT_ID',
  },
  frontIdImage: {label: 'Image of the front', isNeededForApproval: true, only: 'GOVERNMENT_ID'},
  backIdImage: {label: 'Image of the back', hint: 'Not needed for a passport', only: 'GOVERNMENT_ID'},
  proofOfAddressImage: {
    label: 'Image of the proof of address',
    hint: 'A utility bill, bank statement or government letter',
    isNeededForApproval: true,
    only: 'PROOF_OF_ADDRESS',
  },
  description: {label: 'Notes about the document'},
}

export const businessInfoLabels: LabelsByField<typeof businessInfo> = {
  legalBusinessName: {label: 'Legal name of the business', autocomplete: 'organization', isNeededForApproval: true},
  dbaName: {label: 'Name it does business as'},
  businessType: {label: 'Legal form'},
  businessIndustries: {label: 'Industry code'},
  businessDescription: {label: 'What the business does'},
  website: {label: 'Website', hint: 'Such as https://example.com'},
  otherLinks: {label: 'Other links or handles', hint: 'One per line'},
  formationDate: {label: 'Founded on'},
  registrationCountry: {label: 'Country of registration'},
  isDao: {label: 'Is it a DAO?', hint: 'A decentralized autonomous organization'},
}

export const businessDocumentLabels: LabelsByField<typeof businessDocument> = {
  type: {label: 'Kind of document'},
  description: {label: 'Notes about the document'},
  documentImage: {label: 'Image of the document', isNeededForApproval: true},
}

export const kybLabels: LabelsByField<typeof kybData> = {
  businessInfo: {label: 'The business', isNeededForApproval: true},
  businessRegisteredAddress: {label: 'Registered address', isNeededForApproval: true},
  businessOperatingAddress: {label: 'Operating address', fileHint: 'Only if it differs from the registered address'},
  businessRegistrationNumber: {label: 'Registration number'},
  sourceOfFunds: {label: 'Where the money comes from'},
  sourceOfFundsDescription: {label: 'Where the money comes from, in words'},
  accountPurpose: {label: 'What the account is for'},
  accountPurposeOther: {label: 'Another purpose', hint: 'In your own words'},
  expectedMonthlyVolumeUsd: {label: 'Volume expected in a month, in USD'},
  estimatedAnnualRevenueUsd: {label: 'Revenue in a year, in USD'},
  conductsMoneyServices: {label: 'Does the business conduct money services?'},
  conductsMoneyServicesDescription: {label: 'Which money services'},
  conductsMoneyServicesThroughSvc: {label: 'Does it conduct them through this service?'},
  operatesInProhibitedCountries: {label: 'Does it operate in prohibited countries?'},
  complianceScreeningDescription: {label: 'How it screens for compliance'},
  highRiskActivities: {label: 'High-risk activities'},
  highRiskActivitiesExplanation: {label: 'High-risk activities, explained'},
  associatedPersons: {
    label: 'Owners, directors and signers',
    fileHint: 'At least one person; the list replaces an earlier one',
    isNeededForApproval: true,
  },
  businessDocuments: {
    label: 'Documents of the business',
    fileHint: 'At least one, such as the articles of incorporation; the list replaces an earlier one',
    isNeededForApproval: true,
  },
}
