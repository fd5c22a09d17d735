// The endpoints of customers: create, list, read, and submit or correct verification data.
import {isDeepStrictEqual} from 'node:util'
import {cryptoMethods, fiatMethods, patchableStatuses} from '../../../contract/vocabulary.ts'
import {hasContent, isRecord} from '../../../values/records.ts'
import {toIsoDate} from '../../../values/time.ts'
import {type Submissions, findAddressMismatches, validateVerificationData} from '../../../values/verification-data.ts'
import type {EndpointHandler} from '../../http/endpoint-handler.ts'
import {ServiceError, badRequest, throwIfProblems} from '../../http/service-error.ts'
import {createOpaqueId, createUuid} from '../../store/ids.ts'
import {getHomeOrganizationId} from '../../store/settings.ts'
import {enqueue} from '../../time/queue.ts'
import type {ReviewInput} from '../../time/tasks.ts'
import type {RequestContext} from '../request-context.ts'
import {
  type CustomerType,
  type KybData,
  type KycData,
  type VerificationData,
  getCustomerRow,
  insertCustomer,
  readCustomerPage,
  readVerificationData,
  toCustomer,
  writeVerificationData,
} from './customer-store.ts'
import {extractMagic} from './magic-values.ts'
import {beginReview} from './verification.ts'

const submissionRules = {
  INDIVIDUAL: {field: 'kycData', otherField: 'kybData', message: 'is for businesses: an individual submits kycData'},
  BUSINESS: {field: 'kybData', otherField: 'kycData', message: 'is for individuals: a business submits kybData'},
} as const

type CustomerBody = Parameters<EndpointHandler<'customers.create'>>[1]['body']
type Submission = Pick<CustomerBody, 'kycData' | 'kybData'>

// The submitted data, if it is the kind that this type of customer submits.
function getSubmittedData(customerType: CustomerType, body: Submission): VerificationData {
  const {field, otherField, message} = submissionRules[customerType]
  if (body[otherField] !== undefined) throw badRequest({path: otherField, message})
  return body[field] ?? {}
}

interface AcceptedSubmission {
  // The earlier data merged with the new.
  data: VerificationData
  reviewInput: ReviewInput
}

// Validates a submission, rejects it with all its problems at once, and separates the magic values from the data.
function acceptSubmission(
  {now}: RequestContext,
  customerType: CustomerType,
  submitted: VerificationData,
  earlier: VerificationData,
): AcceptedSubmission {
  const {field} = submissionRules[customerType]
  const {data: plain, magic, problems} = extractMagic(submitted, field)
  throwIfProblems([...findMalformedData(plain, field, now, earlier), ...problems])
  const data = mergeData(earlier, plain)
  const mismatches = findAddressMismatches(data)
  return {
    data,
    reviewInput: {...(magic.length > 0 && {magic}), ...(mismatches.length > 0 && {mismatches})},
  }
}

type StatedNames = Pick<CustomerBody, 'firstName' | 'lastName' | 'businessName'>

const joinNames = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ') || null

function getStatedName(customerType: CustomerType, {firstName, lastName, businessName}: StatedNames): string | null {
  const person = joinNames(firstName, lastName)
  return customerType === 'INDIVIDUAL' ? (person ?? businessName ?? null) : (businessName ?? person)
}

function getNameInData(customerType: CustomerType, data: VerificationData): string | null {
  if (customerType === 'BUSINESS') return (data as KybData).businessInfo?.legalBusinessName ?? null
  const {legalFirstName, legalMiddleName, legalLastName} = data as KycData
  return joinNames(legalFirstName, legalMiddleName, legalLastName)
}

export const createCustomer: EndpointHandler<'customers.create'> = (context, {body}) => {
  const {customerType, email} = body
  const submitted = getSubmittedData(customerType, body)
  const {data, reviewInput} = acceptSubmission(context, customerType, submitted, {})
  const statedName = getStatedName(customerType, body)
  const customerId = createUuid(context.database, 'customer')
  insertCustomer(context.database, {
    customerId,
    organizationId: getHomeOrganizationId(context.database),
    customerType,
    customerStatus: 'CREATED',
    name: statedName ?? getNameInData(customerType, data) ?? email,
    statedName,
    email,
    createdAt: context.now,
    updatedAt: context.now,
    formToken: createOpaqueId(context.database, 'form'),
    issues: [],
    data,
  })
  if (hasContent(submitted)) enqueue(context, 'verification.start', {customerId, ...reviewInput}, context.now)
  return toCustomer(context, getCustomerRow(context.database, customerId))
}

export const listCustomers: EndpointHandler<'customers.list'> = (context, {query}) => {
  const {rows, ...rest} = readCustomerPage(context, query)
  return {customers: rows.map((row) => toCustomer(context, row)), ...rest}
}

export const getCustomer: EndpointHandler<'customers.get'> = (context, {params, query}) => {
  const row = getCustomerRow(context.database, params.customerId)
  const customer = toCustomer(context, row)
  if (!query.includePaymentMethods) return customer
  const isActive = row.customerStatus === 'ACTIVE'
  return {...customer, availablePaymentMethods: isActive ? [...fiatMethods, ...cryptoMethods] : []}
}

export const updateCustomer: EndpointHandler<'customers.update'> = (context, {params, body}) => {
  const row = getCustomerRow(context.database, params.customerId)
  if (!patchableStatuses.includes(row.customerStatus)) {
    throw new ServiceError(
      'PATCH_NOT_ALLOWED',
      `The customer is ${row.customerStatus}: data is accepted only while ${patchableStatuses.join(' or ')}`,
    )
  }
  const submitted = getSubmittedData(row.customerType, body)
  if (!hasContent(submitted)) {
    throw badRequest({path: submissionRules[row.customerType].field, message: 'is empty: there is nothing to review'})
  }
  const earlier = readVerificationData(context.database, row.customerId)
  const {data, reviewInput} = acceptSubmission(context, row.customerType, submitted, earlier)
  writeVerificationData(
    context.database,
    row,
    row.statedName ?? getNameInData(row.customerType, data) ?? row.email,
    data,
  )
  const changed = listChangedFields(earlier, data)
  beginReview(context, row, reviewInput, hasContent(earlier) && changed.length > 0 ? {changed} : {})
  return toCustomer(context, getCustomerRow(context.database, row.customerId))
}

type Fields = Record<string, unknown>

// Dropped from an address when its country changes, unless they are submitted again.
const countryFields = new Set(['stateRegionProvince', 'postalCode'])

const changesCountry = (earlier: Fields, later: Fields) =>
  earlier['countryCode'] !== undefined &&
  later['countryCode'] !== undefined &&
  earlier['countryCode'] !== later['countryCode']

const dropCountryFields = (address: Fields) =>
  Object.fromEntries(Object.entries(address).filter(([field]) => !countryFields.has(field)))

// Objects are merged field by field at every depth. A list or a plain value replaces the earlier one.
function mergeData(earlier: Fields, later: Fields): Fields {
  const result = changesCountry(earlier, later) ? dropCountryFields(earlier) : {...earlier}
  for (const [field, value] of Object.entries(later)) {
    const before = result[field]
    result[field] = isRecord(before) && isRecord(value) ? mergeData(before, value) : value
  }
  return result
}

// The names of the fields whose values differ. A list counts as one field.
function listChangedFields(earlier: Fields, later: Fields, parent = ''): string[] {
  return [...new Set([...Object.keys(earlier), ...Object.keys(later)])].flatMap((field) => {
    const [before, after] = [earlier[field], later[field]]
    const name = parent + field
    if (isRecord(before) && isRecord(after)) return listChangedFields(before, after, `${name}.`)
    return isDeepStrictEqual(before, after) ? [] : [name]
  })
}

// What the interface rejects. A number that does not exist, or a country code of its users, has the right format.
export const findMalformedData = <K extends keyof Submissions>(
  data: Submissions[K],
  field: K,
  now: number,
  earlier: VerificationData,
) => validateVerificationData(data, field, toIsoDate(now), earlier).filter(({isDoubt}) => !isDoubt)
