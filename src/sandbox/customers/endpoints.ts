// The endpoints of customers: create, list, read, and submit or correct verification data.
import {patchableStatuses} from '../../contract/customers.ts'
import {cryptoMethods, fiatMethods} from '../../contract/methods.ts'
import {
  customerOf,
  customerPage,
  customerRow,
  type CustomerType,
  dataOf,
  insertCustomer,
  type KybData,
  type KycData,
  type VerificationData,
  writeData,
} from './customer-store.ts'
import type {EndpointHandler} from '../http/endpoint-handler.ts'
import {nextOpaqueId, nextUuid} from '../store/ids.ts'
import {hasContent, merged} from './merge.ts'
import {getHomeOrganizationId} from '../store/organizations.ts'
import {enqueue} from '../time/queue.ts'
import {badRequest, ServiceError} from '../http/refusal.ts'
import type {RequestContext} from '../request-context.ts'
import {dayOf} from '../../validation/dates.ts'
import {checks} from './checks.ts'
import {extractMagic} from './magic.ts'
import {beginReview, type Brought} from './verification.ts'

const submissions = {
  INDIVIDUAL: {field: 'kycData', refused: 'kybData', sentence: 'is for businesses: an individual submits kycData'},
  BUSINESS: {field: 'kybData', refused: 'kycData', sentence: 'is for individuals: a business submits kybData'},
} as const

interface Submission {
  kycData?: KycData | undefined
  kybData?: KybData | undefined
}

// What was submitted, if it is of the kind that fits the customer.
function submittedData(customerType: CustomerType, body: Submission): VerificationData {
  const {field, refused, sentence} = submissions[customerType]
  if (body[refused] !== undefined) throw badRequest({path: refused, message: sentence})
  return body[field] ?? {}
}

interface Taken {
  // What is kept: the earlier data joined with the new.
  data: VerificationData
  brought: Brought
}

// Judges what was submitted, refuses it with everything that is wrong in it, and parts the magic from the data.
function take(
  {now}: RequestContext,
  customerType: CustomerType,
  submitted: VerificationData,
  earlier: VerificationData,
): Taken {
  const {field} = submissions[customerType]
  const {problemsInVerificationData, mismatchesIn} = checks()
  const {data: plain, magic, problems} = extractMagic(submitted, field)
  const [first, ...others] = [...problemsInVerificationData(plain, field, dayOf(now), earlier), ...problems]
  if (first) throw badRequest(first, ...others)
  const data = merged(earlier, plain)
  const mismatches = mismatchesIn(data)
  return {
    data,
    brought: {...(magic.length > 0 && {magic}), ...(mismatches.length > 0 && {mismatches})},
  }
}

interface StatedNames {
  firstName?: string | undefined
  lastName?: string | undefined
  businessName?: string | undefined
}

const joined = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ') || null

function statedNameOf(customerType: CustomerType, {firstName, lastName, businessName}: StatedNames): string | null {
  const person = joined(firstName, lastName)
  return customerType === 'INDIVIDUAL' ? (person ?? businessName ?? null) : (businessName ?? person)
}

function nameInData(customerType: CustomerType, data: VerificationData): string | null {
  if (customerType === 'BUSINESS') return (data as KybData).businessInfo?.legalBusinessName ?? null
  const {legalFirstName, legalMiddleName, legalLastName} = data as KycData
  return joined(legalFirstName, legalMiddleName, legalLastName)
}

export const createCustomer: EndpointHandler<'customers.create'> = (turn, {body}) => {
  const {customerType, email} = body
  const submitted = submittedData(customerType, body)
  const {data, brought} = take(turn, customerType, submitted, {})
  const statedName = statedNameOf(customerType, body)
  const customerId = nextUuid(turn.database, 'customer')
  insertCustomer(turn.database, {
    customerId,
    organizationId: getHomeOrganizationId(turn.database),
    customerType,
    customerStatus: 'CREATED',
    name: statedName ?? nameInData(customerType, data) ?? email,
    statedName,
    email,
    createdAt: turn.now,
    updatedAt: turn.now,
    formToken: nextOpaqueId(turn.database, 'form'),
    issues: [],
    data,
  })
  if (hasContent(submitted)) enqueue(turn, 'verification.start', {customerId, ...brought}, turn.now)
  return customerOf(turn, customerRow(turn.database, customerId))
}

export const listCustomers: EndpointHandler<'customers.list'> = (turn, {query}) => {
  const {rows, ...rest} = customerPage(turn.database, query)
  return {customers: rows.map((row) => customerOf(turn, row)), ...rest}
}

export const getCustomer: EndpointHandler<'customers.get'> = (turn, {params, query}) => {
  const row = customerRow(turn.database, params.customerId)
  const customer = customerOf(turn, row)
  if (!query.includePaymentMethods) return customer
  const isActive = row.customerStatus === 'ACTIVE'
  return {...customer, availablePaymentMethods: isActive ? [...fiatMethods, ...cryptoMethods] : []}
}

export const updateCustomer: EndpointHandler<'customers.update'> = (turn, {params, body}) => {
  const row = customerRow(turn.database, params.customerId)
  if (!patchableStatuses.includes(row.customerStatus)) {
    throw new ServiceError(
      'PATCH_NOT_ALLOWED',
      `The customer is ${row.customerStatus}: data is taken only while ${patchableStatuses.join(' or ')}`,
    )
  }
  const submitted = submittedData(row.customerType, body)
  if (!hasContent(submitted)) {
    throw badRequest({path: submissions[row.customerType].field, message: 'is empty: there is nothing to review'})
  }
  const {data, brought} = take(turn, row.customerType, submitted, dataOf(turn.database, row.customerId))
  writeData(turn.database, row, row.statedName ?? nameInData(row.customerType, data) ?? row.email, data)
  beginReview(turn, row, brought)
  return customerOf(turn, customerRow(turn.database, row.customerId))
}
