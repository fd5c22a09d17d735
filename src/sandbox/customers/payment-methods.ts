// Which payment methods a customer can use: crypto everywhere, fiat rails by country (docs/assumptions.md, C7).
import {cryptoMethods, type fiatMethods} from '../../contract/methods.ts'

type FiatMethod = (typeof fiatMethods)[number]
type PaymentMethod = FiatMethod | (typeof cryptoMethods)[number]

const sepaCountries =
  'AD AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK SM VA'

const railsByCountry: Readonly<Record<string, readonly FiatMethod[]>> = {
  ...Object.fromEntries(sepaCountries.split(' ').map((country) => [country, ['SEPA'] as const])),
  US: ['ACH', 'WIRE'],
  CA: ['WIRE', 'CA_INTERAC'],
  IN: ['IN_NEFT_RTGS_IMPS'],
}

const railsElsewhere: readonly FiatMethod[] = ['WIRE']

export const paymentMethodsIn = (countryCode: string | undefined): PaymentMethod[] => [
  ...(railsByCountry[countryCode ?? ''] ?? railsElsewhere),
  ...cryptoMethods,
]
