// The hosted form of a customer's verification: KYC for an individual, KYB for a business. It submits what a PATCH would.
import {type CustomerStatus, limits, patchableStatuses} from '../../contract/vocabulary.ts'
import {endpoints} from '../../contract/endpoints.ts'
import type {Submissions} from '../../values/verification-data.ts'
import {
  findCustomerRowByForm,
  type CustomerRow,
  readVerificationData,
  readIssues,
  type VerificationData,
} from '../service/customers/customer-store.ts'
import {findMalformedData, updateCustomer} from '../service/customers/endpoints.ts'
import type {RequestContext} from '../service/request-context.ts'
import type {OpenHostedForm, OpenedForm, FormState} from './hosted-form.ts'
import {dataFields, createVerificationNodes} from '../../forms/verification.ts'

const titles = {INDIVIDUAL: 'Verify your identity', BUSINESS: 'Verify your business'} as const

const firstIntro = 'Fill in this form to be verified. You cannot change it while it is under review.'
const correctionIntro =
  'Some of your details need to be corrected. The form shows what you sent: change what is listed here, and send it again.'

const {verificationTypicalMinutes: minutes, manualReviewBusinessDaysMax: days} = limits

type StateText = Pick<FormState, 'state' | 'title' | 'sentences'>

const states: Readonly<Record<Exclude<CustomerStatus, 'CREATED' | 'NEEDS_ADDITIONAL_INFORMATION'>, StateText>> = {
  UNDER_REVIEW: {
    state: 'Under review',
    title: 'We are reviewing your details',
    sentences: [
      `There is nothing for you to do. A review usually takes less than ${minutes} minutes, or up to ${days} business days if a person has to check it.`,
      'If you need to correct something, this page will show you what.',
    ],
  },
  ACTIVE: {
    state: 'Active',
    title: 'Your verification is complete',
    sentences: ['There is nothing more to do, and you can close this page.'],
  },
  REJECTED: {
    state: 'Rejected',
    title: 'Your verification was rejected',
    sentences: ['This decision is final. If you have questions, contact the company that sent you the link.'],
  },
  DEACTIVATED: {
    state: 'Deactivated',
    title: 'Your account is deactivated',
    sentences: ['You cannot send anything here. If you have questions, contact the company that sent you the link.'],
  },
}

const isOpen = (status: CustomerStatus): status is 'CREATED' | 'NEEDS_ADDITIONAL_INFORMATION' =>
  patchableStatuses.includes(status)

function createForm({database}: RequestContext, row: CustomerRow): OpenedForm {
  const {customerId, customerType, customerStatus} = row
  const root = dataFields[customerType]
  const isCorrection = customerStatus === 'NEEDS_ADDITIONAL_INFORMATION'
  const earlier = readVerificationData(database, customerId)
  return {
    title: titles[customerType],
    intro: isCorrection ? correctionIntro : firstIntro,
    submitLabel: isCorrection ? 'Send the corrections' : 'Send for verification',
    root,
    nodes: createVerificationNodes(customerType),
    earlier,
    issues: isCorrection ? readIssues(row) : [],
    schema: endpoints.customers.update.body,
    check: ({now}, validPart) => {
      const data = (validPart as Partial<Submissions>)[root]
      return data === undefined ? [] : findMalformedData(data, root, now, earlier)
    },
    accept: (context, body) =>
      void updateCustomer(context, {params: {customerId}, body: body as {kycData?: VerificationData}}),
  }
}

export const openVerificationForm: OpenHostedForm = (context, formToken) => {
  const row = findCustomerRowByForm(context.database, formToken)
  if (!row) return undefined
  const {customerStatus: status} = row
  if (isOpen(status)) return createForm(context, row)
  return {...states[status], issues: status === 'REJECTED' ? readIssues(row) : []}
}
