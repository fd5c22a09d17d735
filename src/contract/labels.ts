// Labels and hints for the fields of verification data, for every form and wizard that asks for them.
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
  // The HTML autocomplete value, for fields about the person who fills in the form.
  autocomplete?: string
  // Verification asks again for a submission that has this part but not this field.
  isNeededForApproval?: boolean
}

type LabelsByField<T extends {shape: object}, Others extends string = never> = Record<
  Exclude<keyof T['shape'], Others>,
  Label
>

const person = {
  legalFirstName: {label: 'First name', hint: 'As on the ID', autocomplete: 'given-name', isNeededForApproval: true},
  legalMiddleName: {label: 'Middle name', autocomplete: 'additional-name'},
  legalLastName: {label: 'Last name', hint: 'As on the ID', autocomplete: 'family-name', isNeededForApproval: true},
  dateOfBirth: {label: 'Date of birth', hint: 'At least 18 years ago', autocomplete: 'bday', isNeededForApproval: true},
  nationality: {label: 'Nationality', isNeededForApproval: true},
  phoneNumber: {label: 'Phone number', hint: 'With its country code', autocomplete: 'tel', isNeededForApproval: true},
  nationalIdType: {label: 'Kind of national ID'},
  nationalIdNumber: {label: 'Number of the national ID'},
  nationalIdIssuingCountry: {label: 'Country that issued the national ID'},
} satisfies Record<string, Label>

export const kycLabels: LabelsByField<typeof kycData, 'address' | 'documents'> = {
  ...person,
  employmentStatus: {label: 'Employment'},
  mostRecentOccupation: {label: 'Occupation', hint: 'A title, or a code of six digits'},
  sourceOfFunds: {label: 'Where the money comes from'},
  accountPurpose: {label: 'What the account is for'},
  accountPurposeOther: {label: 'Another purpose', hint: 'In your own words'},
  expectedMonthlyPaymentsUsd: {label: 'Payments expected in a month, in USD'},
  isIntermediary: {label: 'Do you act on behalf of others?'},
}

export const personLabels: LabelsByField<typeof associatedPerson, 'address' | 'documents'> = {
  ...person,
  email: {label: 'Email address', hint: 'Such as ada@example.com'},
  title: {label: 'Title in the business', hint: 'Such as Managing director'},
  ownershipPercentage: {label: 'Share of the business in per cent'},
  isControlPerson: {label: 'Does this person control the business?'},
  isSigner: {label: 'May this person sign for the business?'},
  isDirector: {label: 'Is this person a director?'},
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
  subtype: {label: 'Which document', isNeededForApproval: true},
  countryCode: {label: 'Country that issued it', isNeededForApproval: true},
  documentIdNumber: {label: 'Number on the document', isNeededForApproval: true},
  issuanceDate: {
    label: 'Issued on',
    hint: 'A proof of address must be issued within the last 3 months',
    isNeededForApproval: true,
  },
  expirationDate: {label: 'Valid until', hint: 'It must not have expired', isNeededForApproval: true},
  frontIdImage: {label: 'Image of the front', isNeededForApproval: true},
  backIdImage: {label: 'Image of the back', hint: 'Not needed for a passport'},
  proofOfAddressImage: {
    label: 'Image of the proof of address',
    hint: 'A utility bill, bank statement or government letter',
    isNeededForApproval: true,
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

export const kybLabels: LabelsByField<
  typeof kybData,
  'businessInfo' | 'businessRegisteredAddress' | 'businessOperatingAddress' | 'associatedPersons' | 'businessDocuments'
> = {
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
}
