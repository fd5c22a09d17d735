// Compares the contract with the interface: endpoints, fields, words and limits, and what a request may contain.
import {describe, expect, it} from 'vitest'
import {customerCreate, customerPatch} from '../../../src/contract/customers.ts'
import {endpointEntries} from '../../../src/contract/endpoints.ts'
import {issueCodes} from '../../../src/contract/issue-codes.ts'
import {buildOpenApiDocument} from '../../../src/contract/openapi.ts'
import {findProblems} from '../../../src/contract/problems.ts'
import {serviceErrors} from '../../../src/contract/service-errors.ts'
import {cryptoMethods, fiatMethods, limits, patchableStatuses} from '../../../src/contract/vocabulary.ts'

const endpoints = `
  DELETE /automation-rules/{ruleId}
  GET /automation-rules
  GET /automation-rules/{ruleId}
  GET /customers
  GET /customers/{customerId}
  GET /payment-accounts
  GET /transactions
  PATCH /customers/{customerId}
  POST /automation-rules
  POST /customers
  POST /quotes
  POST /transactions
  PUT /automation-rules/{ruleId}`

// The fields of each object as the interface names them; an exclamation mark follows what is always there, and the values of an
// enumeration stand in parentheses.
const objects = `
  Currency: label! chain contractAddress currencyDecimals
  Customer: customerId!
    customerStatus!(CREATED,UNDER_REVIEW,NEEDS_ADDITIONAL_INFORMATION,ACTIVE,REJECTED,DEACTIVATED)
    customerType!(INDIVIDUAL,BUSINESS) name! email! verificationLink updatedAt! organizationId! availablePaymentMethods
    verificationIssues
  VerificationIssue: code! message! timestamp!
  CustomerCreate: customerType!(INDIVIDUAL,BUSINESS) email! firstName lastName businessName kycData kybData
  CustomerPatch: kycData kybData
  KycData: legalFirstName legalMiddleName legalLastName phoneNumber dateOfBirth address nationalIdIssuingCountry
    nationalIdType nationalIdNumber nationality documents employmentStatus mostRecentOccupation sourceOfFunds
    accountPurpose accountPurposeOther expectedMonthlyPaymentsUsd isIntermediary
  Address: countryCode streetLine1 streetLine2 city stateRegionProvince postalCode locale
  Document: type(GOVERNMENT_ID,PROOF_OF_ADDRESS) subtype countryCode documentIdNumber issuanceDate expirationDate
    frontIdImage backIdImage proofOfAddressImage description
  KybData: businessInfo businessRegisteredAddress businessOperatingAddress businessRegistrationNumber sourceOfFunds
    sourceOfFundsDescription accountPurpose accountPurposeOther expectedMonthlyVolumeUsd estimatedAnnualRevenueUsd
    conductsMoneyServices conductsMoneyServicesDescription conductsMoneyServicesThroughSvc operatesInProhibitedCountries
    complianceScreeningDescription highRiskActivities highRiskActivitiesExplanation associatedPersons businessDocuments
  BusinessInfo: legalBusinessName dbaName businessType businessIndustries businessDescription website otherLinks
    formationDate registrationCountry isDao
  AssociatedPerson: legalFirstName legalMiddleName legalLastName phoneNumber dateOfBirth address
    nationalIdIssuingCountry nationalIdType nationalIdNumber nationality documents email ownershipPercentage title
    isControlPerson isSigner isDirector
  BusinessDocument: type description documentImage
  PaymentAccount: paymentAccountId!
    paymentAccountType!(EXTERNAL_BANK_ACCOUNT,SVC_AUTO_FIAT_ACCOUNT,EXTERNAL_CRYPTO_WALLET,SVC_CRYPTO_WALLET) nickname
    createdAt customerId! paymentAccountStatus!(ACTIVE,PENDING) isThirdParty bankAccountFormLink externalBankAccount
    svcAutoFiatAccount externalCryptoWallet svcCryptoWallet
  PaymentAccount.externalBankAccount: bankAccountType bankAccountOwnerName bankAccountOwnerEmail bankName
    bankAccountCurrency bankAccountMask
    bankAccountPaymentMethod(ACH,WIRE,SEPA,CA_INTERAC,IN_NEFT_RTGS_IMPS)
  PaymentAccount.svcAutoFiatAccount: currency supportedDestinationCurrencies
  PaymentAccount.externalCryptoWallet: currency address
  PaymentAccount.svcCryptoWallet: cryptoWalletType address
  ChainAddress: address! chain!
  QuoteCreate: customerId! source! destination! developerFee guaranteeQuote
  QuoteCreate.source: sourcePaymentAccountId! sourceCurrency! sourcePaymentMethod! sourceAmount!
  QuoteCreate.destination: destinationPaymentAccountId! destinationPaymentMethod! destinationCurrency!
  DeveloperFee: developerFeeType!(USD,SOURCE_CURRENCY) developerFeeAmount!
  Quote: quoteId! expiresAt! estimatedExchangeRate! destinationAmount! fees!
  Fees: feeCurrency! svcFee! developerFee
  Fee: feeAmount! feeUSDAmount!
  TransactionCreate: quoteId! correlationId
  Transaction: transactionId! customerId! quoteId!
    transactionStatus!(AWAITING_TRANSFER,PROCESSING,COMPLETED,FAILED,CANCELLED,CREATED,EXPIRED) correlationId source!
    destination! fees! transferInstructions createdAt! updatedAt! expiresAt
  Transaction.source: sourcePaymentAccountId! sourceCurrency! sourcePaymentMethod! sourceAmount! sourceReferenceId
  Transaction.destination: destinationPaymentAccountId! destinationPaymentMethod! destinationCurrency! exchangeRate
    destinationAmount destinationReferenceId
  TransferInstructions: type! transferPaymentMethod transferBankBeneficiaryName transferBankName transferBankAddress
    transferBankAccountNumber transferRoutingNumber transferIban transferBicSwift transferIfscCode transferSortCode
    transferBsbNumber transferTransitNumber transferBankCode transferBranchCode transferRoutingCode transferClearingCode
    transferClabeNumber transferCnapsCode transferNubanCode transferPixCode transferPaymentLink transferMessage
  RuleCreate: name! customerId! transactionTemplate! trigger!
  RuleTemplateRequest: source! destination! amount! developerFee
  RuleTemplateRequest.source: sourcePaymentAccountId! sourcePaymentMethod! sourceCurrency!
  RuleTemplateRequest.destination: destinationPaymentAccountId! destinationPaymentMethod! destinationCurrency!
  RuleUpdate: id! name! customerId! transactionTemplate! trigger!
  AutomationRule: id! name! customerId! transactionTemplate! trigger! createdAt
  CustomerUpdated: type! timestamp! data!
  Error: error! message! statusCode!`

interface Schema {
  properties?: Record<string, Schema>
  required?: string[]
  enum?: string[]
}

const schemas = buildOpenApiDocument('https://api.service.invalid').components.schemas as Record<string, Schema>

// The methods and the issue codes are compared below.
const shownValuesMax = 10

function describeObject(path: string): string {
  const [name = '', ...inner] = path.split('.')
  const schema = inner.reduce((found, field) => found?.properties?.[field], schemas[name])
  const fields = Object.entries(schema?.properties ?? {}).map(([field, {enum: values = []}]) => {
    const isShort = values.length > 0 && values.length < shownValuesMax
    return `${field}${schema?.required?.includes(field) ? '!' : ''}${isShort ? `(${values.join(',')})` : ''}`
  })
  return `${path}: ${fields.join(' ')}`
}

const readLines = (text: string) => text.trim().split(/\n {2}(?! )/)

describe('the contract', () => {
  it('has every endpoint of the interface, as `endpoints` above lists them, and no others', () => {
    const found = endpointEntries.map(({endpoint}) => `${endpoint.method} ${endpoint.path}`)
    expect(found.toSorted()).toEqual(readLines(endpoints))
  })

  it('has every object of the interface, as `objects` above lists them with their fields, and no others', () => {
    const expected = readLines(objects).map((line) => line.replaceAll(/\s+/g, ' '))
    expect(expected.map((line) => describeObject(line.split(':', 1)[0] ?? ''))).toEqual(expected)
    const named = new Set(expected.map((line) => line.split(':', 1)[0]))
    // These have a form for each of their types.
    expect(Object.keys(schemas).filter((name) => !named.has(name))).toEqual(['RuleAmount', 'RuleTrigger'])
  })

  it('has the methods, the limits and the error codes that the interface names', () => {
    expect([...fiatMethods, ...cryptoMethods].join(' ')).toBe(
      'ACH WIRE SEPA CA_INTERAC IN_NEFT_RTGS_IMPS ARBITRUM BASE ETHEREUM OPTIMISM POLYGON SOLANA',
    )
    expect(patchableStatuses).toEqual(['CREATED', 'NEEDS_ADDITIONAL_INFORMATION'])
    expect(limits).toMatchObject({
      pageSizeDefault: 10,
      pageSizeMin: 1,
      pageSizeMax: 100,
      requestBytesMax: 100 * 1024 * 1024,
      quoteLifetimeSeconds: 5 * 60,
      streetLineLengthMin: 4,
      streetLineLengthMax: 100,
      documentBytesMin: 100_000,
      documentBytesMax: 10 * 1024 * 1024,
      documentPixelsMin: 200,
    })
    const named = serviceErrors.filter(({assumed}) => !assumed).map(({statusCode, error}) => `${statusCode} ${error}`)
    expect(named).toEqual(['400 PATCH_NOT_ALLOWED', '400 BAD_REQUEST', '401 UNAUTHORIZED'])
  })
})

describe('the issue codes', () => {
  it('are all sixty, in their five groups', () => {
    const counts = Object.groupBy(issueCodes, ({group}) => group)
    expect(Object.fromEntries(Object.entries(counts).map(([group, entries]) => [group, entries.length]))).toEqual({
      DOCUMENT: 17,
      ADDRESS: 11,
      CORRECT: 2,
      REVIEW: 24,
      SUPPORT: 6,
    })
    expect(new Set(issueCodes.map(({code}) => code)).size).toBe(60)
  })

  it('have the resolver of their group', () => {
    for (const {group, resolver} of issueCodes) {
      const expected = {REVIEW: 'CUSTOMER_THEN_SUPPORT', SUPPORT: 'SUPPORT'}[group as string] ?? 'CUSTOMER'
      expect(resolver).toBe(expected)
    }
  })

  it('name only fields that exist in a person’s data', () => {
    const person = customerPatch.shape.kycData.unwrap().shape
    const [document, address] = [person.documents.unwrap().element.shape, person.address.unwrap().shape]
    const known = [
      ...Object.keys(person),
      ...Object.keys(document).map((field) => `documents.${field}`),
      ...Object.keys(address).map((field) => `address.${field}`),
    ]
    for (const {code, fields} of issueCodes) for (const field of fields) expect(known, code).toContain(field)
  })
})

describe('a request', () => {
  it('lists every problem at once, each with its path and its kind', () => {
    const problems = findProblems(customerCreate, {
      customerType: 'PERSON',
      firstName: 7,
      nickname: 'Ada',
      kycData: {
        title: 'Dr',
        phoneNumber: '555',
        dateOfBirth: '01/02/1990',
        nationalIdType: 'SSN',
        address: {streetLine1: 'abc', countryCode: 'usa'},
      },
    })
    expect(problems.map(({path, kind}) => [path, kind])).toEqual([
      ['customerType', 'value'],
      ['email', 'missing'],
      ['firstName', 'type'],
      ['kycData.phoneNumber', 'format'],
      ['kycData.dateOfBirth', 'format'],
      ['kycData.address.countryCode', 'format'],
      ['kycData.address.streetLine1', 'range'],
      ['kycData.title', 'removedField'],
      ['kycData.nationalIdNumber', 'condition'],
      ['kycData.nationalIdIssuingCountry', 'condition'],
      ['nickname', 'unknownField'],
    ])
  })

  it('accepts any value where the interface lists only examples', () => {
    expect(
      findProblems(customerPatch, {kycData: {employmentStatus: 'ON_SABBATICAL', sourceOfFunds: 'LOTTERY'}}),
    ).toEqual([])
  })

  it('accepts any subset, also inside an address', () => {
    expect(findProblems(customerPatch, {kycData: {address: {city: 'Porto'}}})).toEqual([])
    expect(findProblems(customerPatch, {})).toEqual([])
  })

  it('accepts only a URL as the website of a business', () => {
    const patch = (website: string) => ({kybData: {businessInfo: {website}}})
    expect(findProblems(customerPatch, patch('https://example.com/shop'))).toEqual([])
    for (const website of ['example', 'javascript:alert(1)', 'http://']) {
      expect(findProblems(customerPatch, patch(website))).toEqual([
        {path: 'kybData.businessInfo.website', kind: 'format', message: 'must be an http or https URL'},
      ])
    }
  })
})
