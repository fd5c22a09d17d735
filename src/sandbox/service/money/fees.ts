// Computes the service's fee, a share plus a fixed part, and the developer's fee.
import {toDecimalText, isFiat, toMinorUnits, type PaymentMethod} from './currencies.ts'
import {convertFromUsd, divideRoundingUp, formatInUsd, parseDecimal} from './prices.ts'
import type {Problem} from '../../../contract/problems.ts'

interface Tariff {
  share: string
  fixedUsd: string
}

const tariffs: Readonly<Record<PaymentMethod, Tariff>> = {
  ACH: {share: '0.005', fixedUsd: '0.25'},
  WIRE: {share: '0.0025', fixedUsd: '5'},
  SEPA: {share: '0.004', fixedUsd: '0.20'},
  CA_INTERAC: {share: '0.006', fixedUsd: '0.30'},
  IN_NEFT_RTGS_IMPS: {share: '0.008', fixedUsd: '0.20'},
  ARBITRUM: {share: '0.001', fixedUsd: '0.05'},
  BASE: {share: '0.001', fixedUsd: '0.05'},
  ETHEREUM: {share: '0.001', fixedUsd: '1.50'},
  OPTIMISM: {share: '0.001', fixedUsd: '0.05'},
  POLYGON: {share: '0.001', fixedUsd: '0.03'},
  SOLANA: {share: '0.001', fixedUsd: '0.02'},
}

const usd = 'USD'

export interface Fee {
  minor: bigint
  usd: string
}

export interface DeveloperFeeRequest {
  developerFeeType: 'USD' | 'SOURCE_CURRENCY'
  developerFeeAmount: string
}

interface Route {
  sourceMethod: PaymentMethod
  destinationMethod: PaymentMethod
  currency: string
  minor: bigint
}

const createFee = (minor: bigint, currency: string, instant: number): Fee => ({
  minor,
  usd: formatInUsd(minor, currency, instant),
})

// A route from a bank rail is priced by that rail, any other by the method on which the money arrives.
export function computeServiceFee({sourceMethod, destinationMethod, currency, minor}: Route, instant: number): Fee {
  const {share, fixedUsd} = tariffs[isFiat(sourceMethod) ? sourceMethod : destinationMethod]
  const {units, decimals} = parseDecimal(share)
  const ofAmount = divideRoundingUp(minor * units, 10n ** BigInt(decimals))
  return createFee(ofAmount + convertFromUsd(fixedUsd, currency, instant), currency, instant)
}

const amountPath = 'developerFee.developerFeeAmount'

// The integrator's own fee in the source currency, or the problem with it.
export function computeDeveloperFee(
  requested: DeveloperFeeRequest | undefined,
  currency: string,
  instant: number,
): {fee: Fee} | {problem: Problem} {
  if (!requested) return {fee: createFee(0n, currency, instant)}
  const unit = requested.developerFeeType === 'USD' ? usd : currency
  const minor = toMinorUnits(requested.developerFeeAmount, unit)
  if (minor === null) return {problem: {path: amountPath, message: `has more decimals than ${unit} has`}}
  if (unit === currency) return {fee: createFee(minor, currency, instant)}
  const stated = toDecimalText(minor, usd)
  return {fee: {minor: convertFromUsd(stated, currency, instant), usd: stated}}
}

// On the Builder tier the integrator's fee must be at least the service's fee.
export function checkBuilderFee(requested: DeveloperFeeRequest | undefined, own: Fee, svc: Fee, currency: string) {
  if (own.minor >= svc.minor) return undefined
  const least = `at least ${toDecimalText(svc.minor, currency)} ${currency}, the service's own fee, on the Builder tier`
  return requested
    ? {path: amountPath, message: `must be ${least}`}
    : {path: 'developerFee', message: `is required: it must be ${least}`}
}
