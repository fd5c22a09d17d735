// The fields that verification of a person needs although the interface does not call them required. The build evaluates this
// file and stores the result, so that listing them does not load zod.
import type {z} from 'zod'
import {kycData} from './customers.ts'

const isRequiredByFlow = (field: z.ZodType) => Boolean(field.meta()?.['x-required-by-flow'])

export const kycFieldsRequiredByFlow: readonly string[] = Object.entries(kycData.shape)
  .filter(([, field]) => isRequiredByFlow(field))
  .map(([name]) => name)
