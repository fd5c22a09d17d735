// Customers, their verification issues, and the bodies that create and update a customer.
import {z} from 'zod'
import {customerStatuses, customerTypes} from './customer-statuses.ts'
import {issueCodes} from './issue-codes.ts'
import {paymentMethod} from './methods.ts'
import {email, text, timestamp, url, uuid} from './scalars.ts'
import {kybData, kycData} from './verification-data.ts'

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
