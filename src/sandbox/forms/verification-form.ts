// The hosted form of a customer's verification: KYC for an individual, KYB for a business. It hands over what a PATCH would.
import {type CustomerStatus, patchableStatuses} from '../../contract/customers.ts'
import {endpoints} from '../../contract/endpoints.ts'
import {limits} from '../../contract/limits.ts'
import {
  findCustomerRowByForm,
  type CustomerRow,
  readVerificationData,
  readIssues,
  type VerificationData,
} from '../customers/customer-store.ts'
import {updateCustomer} from '../customers/endpoints.ts'
import type {RequestContext} from '../request-context.ts'
import type {HostedForm, OpenedForm, FormState} from './hosted-form.ts'
import {dataFields, createVerificationNodes} from './verification-fields.ts'

const titles = {INDIVIDUAL: 'Verify your identity', BUSINESS: 'Verify your business'} as const

const firstIntro = 'Fill this in to have it verified. Once it is sent it cannot be changed while it is being looked at.'
const correctionIntro =
  'Something has to be corrected. What was sent earlier is filled in: change what is asked for, and send it again.'

const {verificationTypicalMinutes: minutes, manualReviewBusinessDaysMax: days} = limits

type StateText = Pick<FormState, 'state' | 'title' | 'sentences'>

const states: Readonly<Record<Exclude<CustomerStatus, 'CREATED' | 'NEEDS_ADDITIONAL_INFORMATION'>, StateText>> = {
  UNDER_REVIEW: {
    state: 'Under review',
    title: 'Your data is being looked at',
    sentences: [
      `There is nothing for you to do. It usually takes less than ${minutes} minutes, and up to ${days} business days where a person has to look.`,
      'If something has to be corrected, this page will show the form again, and say what.',
    ],
  },
  ACTIVE: {
    state: 'Active',
    title: 'Your verification is complete',
    sentences: ['Everything is in order. There is nothing left to do here, and you can close this page.'],
  },
  REJECTED: {
    state: 'Rejected',
    title: 'The verification was rejected',
    sentences: ['This is final, and nothing more can be sent here. Ask whoever sent you the link what comes next.'],
  },
  DEACTIVATED: {
    state: 'Deactivated',
    title: 'This customer is deactivated',
    sentences: ['Nothing more can be sent here. Ask whoever sent you the link what comes next.'],
  },
}

const isOpen = (status: CustomerStatus): status is 'CREATED' | 'NEEDS_ADDITIONAL_INFORMATION' =>
  patchableStatuses.includes(status)

function createForm({database}: RequestContext, row: CustomerRow): OpenedForm {
  const {customerId, customerType, customerStatus} = row
  const root = dataFields[customerType]
  const isCorrection = customerStatus === 'NEEDS_ADDITIONAL_INFORMATION'
  return {
    title: titles[customerType],
    intro: isCorrection ? correctionIntro : firstIntro,
    submitLabel: isCorrection ? 'Send the corrections' : 'Send for verification',
    root,
    nodes: createVerificationNodes(customerType),
    earlier: readVerificationData(database, customerId),
    issues: isCorrection ? readIssues(row) : [],
    schema: endpoints.customers.update.body,
    accept: (context, body) =>
      void updateCustomer(context, {params: {customerId}, body: body as {kycData?: VerificationData}}),
  }
}

export const verificationForm: HostedForm = {
  open(context, formToken) {
    const row = findCustomerRowByForm(context.database, formToken)
    if (!row) return undefined
    const {customerStatus: status} = row
    if (isOpen(status)) return createForm(context, row)
    return {...states[status], issues: status === 'REJECTED' ? readIssues(row) : []}
  },
  nodes(context, formToken) {
    const row = findCustomerRowByForm(context.database, formToken)
    return row ? createVerificationNodes(row.customerType) : []
  },
}
