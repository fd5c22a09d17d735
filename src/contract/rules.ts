// Automation rules, which create transactions on a schedule or when a balance reaches a threshold.
import {z} from 'zod'
import {amount, currency, opaqueId, paymentMethod, replyAmount, text, timestamp, uuid} from './scalars.ts'
import {developerFee} from './quotes.ts'
import {limits} from './vocabulary.ts'

export const ruleAmountTypes = ['FLAT', 'PCT'] as const
export const triggerTypes = ['THRESHOLD_BASED', 'TIME_BASED'] as const

// From 0 to 100, compared as text: a floating-point number would round 100.00000000000000000001 to 100.
const percentageForm = /^0*(?:\d{1,2}(?:\.\d+)?|100(?:\.0+)?)$/

const ruleAmount = z
  .discriminatedUnion('type', [
    z.strictObject({type: z.literal('FLAT'), value: amount.describe('Fixed amount')}),
    z.strictObject({
      type: z.literal('PCT'),
      value: amount
        .regex(percentageForm, `must be a percentage from ${limits.percentageMin} to ${limits.percentageMax}`)
        .meta({examples: ['12.5'], description: 'Percentage of the balance'}),
    }),
  ])
  .meta({id: 'RuleAmount'})

const trigger = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('THRESHOLD_BASED'),
      thresholdAmount: amount.describe('Fires when the source account balance reaches or exceeds this amount'),
    }),
    z.strictObject({
      type: z.literal('TIME_BASED'),
      cronSchedule: z
        .string()
        .regex(/^\s*(\S+\s+){4}\S+\s*$/, 'must be a cron expression of five fields, such as "0 9 * * 1-5"')
        .describe('Five-field cron expression evaluated in UTC'),
    }),
  ])
  .meta({id: 'RuleTrigger'})

const transactionTemplate = z
  .strictObject({
    source: z.strictObject({
      sourcePaymentAccountId: opaqueId.describe('Must be a service-managed crypto wallet'),
      sourcePaymentMethod: paymentMethod,
      sourceCurrency: text.describe('Currency label'),
    }),
    destination: z.strictObject({
      destinationPaymentAccountId: opaqueId.describe(
        'External bank account, service-managed crypto wallet, or external crypto wallet',
      ),
      destinationPaymentMethod: paymentMethod,
      destinationCurrency: text.describe('Currency label'),
    }),
    amount: ruleAmount,
    developerFee: developerFee.optional(),
  })
  .meta({id: 'RuleTemplateRequest'})

const ruleConfiguration = {name: text, customerId: uuid, transactionTemplate, trigger}

export const ruleCreate = z.strictObject(ruleConfiguration).meta({id: 'RuleCreate'})

// PUT needs the complete configuration. The interface types the id as a UUID here and as opaque in replies, so it is opaque.
export const ruleUpdate = z.strictObject({id: opaqueId, ...ruleConfiguration}).meta({id: 'RuleUpdate'})

export const rule = z
  .object({
    id: opaqueId,
    name: z.string(),
    customerId: uuid,
    transactionTemplate: z.object({
      source: z.object({
        sourcePaymentAccountId: z.string(),
        sourcePaymentMethod: z.string(),
        sourceCurrency: currency,
      }),
      destination: z.object({
        destinationPaymentAccountId: z.string(),
        destinationPaymentMethod: z.string(),
        destinationCurrency: currency,
      }),
      amount: z.object({type: z.enum(ruleAmountTypes), value: replyAmount}),
      developerFee: z.object({developerFeeType: z.string(), developerFeeAmount: replyAmount}).optional(),
    }),
    trigger: z.object({
      type: z.enum(triggerTypes),
      thresholdAmount: replyAmount.optional(),
      cronSchedule: z.string().optional(),
    }),
    createdAt: timestamp.optional(),
  })
  .meta({id: 'AutomationRule'})
