// Writes the plan of a payment to a file, for others to approve and for `svc pay -f` to pay.
import fs from 'node:fs'
import {badUsage, getSystemCode} from '../../errors.ts'
import type {PriceLimits} from '../protocol/limits.ts'
import type {Plan} from './plan.ts'

const formatFeeMax = (feeMax: NonNullable<PriceLimits['feeMax']>) =>
  'amount' in feeMax ? feeMax.amount : `${feeMax.percent}%`

function toPlanFields({key, content, limits, isGuaranteed}: Plan): Record<string, unknown> {
  const {feeMax, rateMin, receivedMin, sentMax} = limits
  const {receive, source, ...route} = content
  const {sourceAmount, ...payer} = source
  return {
    key,
    ...route,
    source: receive === undefined ? {...payer, sourceAmount} : payer,
    ...(receive !== undefined && {receive}),
    ...(sentMax !== undefined && {maxSend: sentMax}),
    guaranteeQuote: isGuaranteed,
    ...(feeMax && {maxFee: formatFeeMax(feeMax)}),
    ...(rateMin !== undefined && {minRate: rateMin}),
    ...(receivedMin !== undefined && {minReceived: receivedMin}),
  }
}

// An existing file is left as it is: it may be one that was approved.
export async function writePlan(file: string, plan: Plan): Promise<void> {
  const {stringify} = await import('yaml')
  const text = stringify(toPlanFields(plan), {defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN'})
  try {
    fs.writeFileSync(file, text, {flag: 'wx', mode: 0o600})
  } catch (cause) {
    const code = getSystemCode(cause)
    throw badUsage(
      code === 'EEXIST'
        ? `The file ${file} exists already`
        : `The file ${file} cannot be written (${code ?? 'unknown'})`,
      'Name another file with --write-plan; nothing was sent',
      cause,
    )
  }
}
