// Turns what a review found into issues that are stored with the customer.
import {describeCode, type Finding} from '../../../values/review-data.ts'
import {toTimestamp} from '../../time/clock.ts'
import type {StoredIssue} from './customer-store.ts'

export const createIssue = (
  {code, message = describeCode(code), item, paths}: Finding,
  detectedAt: number,
): StoredIssue => ({
  code,
  message,
  timestamp: toTimestamp(detectedAt),
  ...(item !== undefined && {item}),
  ...(paths !== undefined && {paths}),
})
