// Customers, their verification issues, and the bodies that create and update a customer. A request may carry any subset of the
// verification data.
import {z} from 'zod'
import {issueCodes} from './issue-codes.ts'
import {
  codedText,
  countryCode,
  dataUri,
  date,
  email,
  paymentMethod,
  phoneNumber,
  text,
  timestamp,
  url,
  uuid,
} from './scalars.ts'
import {customerStatuses, customerTypes, limits} from './vocabulary.ts'

const streetLine = z
  .string()
  .min(limits.streetLineLengthMin, `must have at least ${limits.streetLineLengthMin} characters`)
  .max(limits.streetLineLengthMax, `must have at most ${limits.streetLineLengthMax} characters`)
  // Shorter ones have been reported.
  .regex(/^([\s\S]{0,3}|\s*\S[\s\S]{2,}\S\s*)$/, 'must not consist of blanks')

export const address = z
  .strictObject({
    countryCode: countryCode.optional(),
    streetLine1: streetLine.optional(),
    streetLine2: streetLine.optional(),
    city: text.optional(),
    stateRegionProvince: text.optional().describe('Two-letter state code where applicable'),
    postalCode: text.optional().describe('Validated per country'),
    locale: text.optional().describe('Language-region tag'),
  })
  .meta({id: 'Address'})

export const documentTypes = ['GOVERNMENT_ID', 'PROOF_OF_ADDRESS'] as const

export const document = z
  .strictObject({
    type: z.enum(documentTypes).optional(),
    subtype: codedText('NATIONAL_ID', 'PASSPORT').optional(),
    countryCode: countryCode.optional(),
    documentIdNumber: text.optional(),
    issuanceDate: date.optional(),
    expirationDate: date.optional(),
    frontIdImage: dataUri.optional(),
    backIdImage: dataUri.optional(),
    proofOfAddressImage: dataUri.optional(),
    description: text.optional().describe('Notes about the document'),
  })
  .meta({id: 'Document'})

const nationalIdFields = ['nationalIdType', 'nationalIdNumber', 'nationalIdIssuingCountry'] as const

// A request that has one of the three national ID fields must have all of them.
function requireCompleteNationalId(data: Record<string, unknown>, context: z.RefinementCtx) {
  const missing = nationalIdFields.filter((field) => data[field] === undefined)
  if (missing.length === 0 || missing.length === nationalIdFields.length) return
  for (const field of missing) {
    context.addIssue({
      code: 'custom',
      path: [field],
      message: `is missing: ${nationalIdFields.join(', ')} must be supplied together`,
    })
  }
}

// The same in words of JSON Schema, for the OpenAPI document.
const completeNationalId = Object.fromEntries(
  nationalIdFields.map((field) => [field, nationalIdFields.filter((other) => other !== field)]),
)

const identity = {
  legalFirstName: text.optional().describe('As on the ID'),
  legalMiddleName: text.optional(),
  legalLastName: text.optional(),
  phoneNumber: phoneNumber.optional(),
  dateOfBirth: date.optional(),
  address: address.optional(),
  nationalIdIssuingCountry: countryCode.optional(),
  nationalIdType: codedText('SSN', 'TIN', 'NATIONAL_ID').optional(),
  nationalIdNumber: text.optional(),
  nationality: countryCode.optional(),
  documents: z.array(document).optional(),
}

export const kycData = z
  .strictObject({
    ...identity,
    employmentStatus: codedText('EMPLOYED', 'SELF_EMPLOYED', 'UNEMPLOYED', 'RETIRED', 'STUDENT').optional(),
    mostRecentOccupation: text.optional().describe('Occupation code or title'),
    sourceOfFunds: codedText('SALARY', 'EMPLOYMENT', 'BUSINESS', 'INVESTMENTS', 'INHERITANCE', 'SAVINGS').optional(),
    accountPurpose: codedText('PERSONAL_EXPENSES', 'PERSONAL_USE', 'BUSINESS_USE', 'INVESTMENT').optional(),
    accountPurposeOther: text.optional().describe('Free text description of another purpose'),
    expectedMonthlyPaymentsUsd: codedText(
      'BETWEEN_5000_9999',
      'BETWEEN_10000_49999',
      'UNDER_10K',
      '10K_TO_50K',
      '50K_TO_100K',
      'OVER_100K',
    ).optional(),
    isIntermediary: z.boolean().optional().describe('Whether the customer acts on behalf of others'),
  })
  .superRefine(requireCompleteNationalId)
  .meta({id: 'KycData', dependentRequired: completeNationalId})

const percentage = `must be a number from ${limits.percentageMin} to ${limits.percentageMax}`

export const associatedPerson = z
  .strictObject({
    ...identity,
    email: email.optional(),
    ownershipPercentage: z
      .number(percentage)
      .min(limits.percentageMin, percentage)
      .max(limits.percentageMax, percentage)
      .optional(),
    title: text.optional(),
    isControlPerson: z.boolean().optional(),
    isSigner: z.boolean().optional(),
    isDirector: z.boolean().optional(),
  })
  .superRefine(requireCompleteNationalId)
  .meta({id: 'AssociatedPerson', dependentRequired: completeNationalId})

export const businessDocument = z
  .strictObject({
    type: codedText('ARTICLES_OF_INCORPORATION').optional(),
    description: text.optional(),
    documentImage: dataUri.optional(),
  })
  .meta({id: 'BusinessDocument'})

export const businessInfo = z
  .strictObject({
    legalBusinessName: text.optional(),
    dbaName: text.optional(),
    businessType: codedText('C_CORPORATION', 'B_CORPORATION').optional(),
    businessIndustries: text.optional().describe('Industry code'),
    businessDescription: text.optional(),
    website: url.optional(),
    otherLinks: z.array(text).optional().describe('URLs or handles'),
    formationDate: date.optional(),
    registrationCountry: countryCode.optional(),
    isDao: z.boolean().optional(),
  })
  .meta({id: 'BusinessInfo'})

export const kybData = z
  .strictObject({
    businessInfo: businessInfo.optional(),
    businessRegisteredAddress: address.optional(),
    businessOperatingAddress: address.optional(),
    businessRegistrationNumber: text.optional(),
    sourceOfFunds: codedText('SALE_OF_GOODS_AND_SERVICES').optional(),
    sourceOfFundsDescription: text.optional(),
    accountPurpose: codedText('CHARITABLE_DONATIONS').optional(),
    accountPurposeOther: text.optional(),
    expectedMonthlyVolumeUsd: codedText('LESS_THAN_10000', 'BETWEEN_10000_99999').optional(),
    estimatedAnnualRevenueUsd: codedText('LESS_THAN_100000', 'BETWEEN_100000_999999').optional(),
    conductsMoneyServices: z.boolean().optional(),
    conductsMoneyServicesDescription: text.optional(),
    conductsMoneyServicesThroughSvc: z.boolean().optional(),
    operatesInProhibitedCountries: z.boolean().optional(),
    complianceScreeningDescription: text.optional(),
    highRiskActivities: z.array(codedText('ADULT_ENTERTAINMENT', 'FOREIGN_EXCHANGE_OR_BROKERAGE')).optional(),
    highRiskActivitiesExplanation: text.optional(),
    associatedPersons: z.array(associatedPerson).optional(),
    businessDocuments: z.array(businessDocument).optional(),
  })
  .meta({id: 'KybData'})

export const verificationIssue = z
  .object({
    code: z.enum(issueCodes.map(({code}) => code)).describe('Standardized issue code'),
    message: z.string().describe('User-facing text describing what to correct'),
    timestamp: timestamp.describe('When the issue was detected'),
  })
  .meta({id: 'VerificationIssue'})

export const customer = z
  .object({
    customerId: uuid,
    customerStatus: z.enum(customerStatuses),
    customerType: z.enum(customerTypes),
    name: z.string().describe('Full name of person or business'),
    email: z.string(),
    verificationLink: url.optional().describe('Address of the hosted KYC/KYB form'),
    updatedAt: timestamp.describe('Time of the last status update'),
    organizationId: z.string().describe('Owning organization'),
    availablePaymentMethods: z
      .array(paymentMethod)
      .optional()
      .describe('Payment methods accessible to the customer; only when requested with includePaymentMethods'),
    verificationIssues: z.array(verificationIssue).optional(),
  })
  .meta({id: 'Customer'})

export type Customer = z.infer<typeof customer>

export const customerCreate = z
  .strictObject({
    customerType: z.enum(customerTypes),
    email,
    firstName: text.optional(),
    lastName: text.optional(),
    businessName: text.optional(),
    kycData: kycData.optional().describe('Immediate verification submission for individuals'),
    kybData: kybData.optional().describe('Immediate verification submission for businesses'),
  })
  .meta({id: 'CustomerCreate'})

export const customerPatch = z
  .strictObject({kycData: kycData.optional(), kybData: kybData.optional()})
  .meta({id: 'CustomerPatch'})
