// Which values a shell can complete for a flag or an argument, by its name.
import type {Command} from '@oclif/core'
import {listEnumValues} from '../../contract/enum-values.ts'
import {idKinds} from './seen-ids.ts'

// What svc is asked for when the shell completes: profiles, and ids that were shown before.
export const dynamicSources = ['profiles', ...idKinds] as const
export type DynamicSource = (typeof dynamicSources)[number]

// Fixed values, or the name of a list that is read when it is needed.
export type ValueSource = readonly string[] | DynamicSource | 'files'

export const isDynamicSource = (source: ValueSource): source is DynamicSource =>
  dynamicSources.some((name) => name === source)

const methods = listEnumValues('Customer', 'availablePaymentMethods')

// The interface has no list of currencies. These are the ones its payment methods carry (docs/assumptions.md, M1).
const currencies = ['CAD', 'EUR', 'INR', 'USD', 'USDC', 'USDT']

const httpMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

const valueSources: Readonly<Record<string, ValueSource>> = {
  '--profile': 'profiles',
  '--method': methods,
  // In the sandbox topic, --method is an HTTP method.
  'sandbox --method': httpMethods,
  '--from-method': methods,
  '--to-method': methods,
  '--currency': currencies,
  '--from-currency': currencies,
  '--to-currency': currencies,
  'customers --status': listEnumValues('Customer', 'customerStatus'),
  'customers --type': listEnumValues('Customer', 'customerType'),
  'accounts --status': listEnumValues('PaymentAccount', 'paymentAccountStatus'),
  'accounts --type': listEnumValues('PaymentAccount', 'paymentAccountType'),
  'transactions --status': listEnumValues('Transaction', 'transactionStatus'),
  '--customer': 'customers',
  '--account': 'accounts',
  '--from': 'accounts',
  '--to': 'accounts',
  '--quote': 'quotes',
  '--adopt': 'transactions',
  'customers ID': 'customers',
  'accounts ID': 'accounts',
  'transactions ID': 'transactions',
  'rules ID': 'rules',
  'sandbox CUSTOMER': 'customers',
  'sandbox ACCOUNT': 'accounts',
  'sandbox TRANSACTION': 'transactions',
  'profiles NAME': 'profiles',
  'codes CODE': listEnumValues('VerificationIssue', 'code'),
  'api METHOD': httpMethods,
}

const findSource = (key: string): ValueSource | undefined =>
  Object.hasOwn(valueSources, key) ? valueSources[key] : undefined

// The flag's own options come first, then values for its topic, then values for its name anywhere.
export function findFlagValues(id: string, flag: Command.Flag.Cached): ValueSource | undefined {
  if (flag.type !== 'option') return undefined
  if (flag.options) return flag.options
  const [topic = ''] = id.split(':')
  const isFile = 'helpValue' in flag && flag.helpValue === 'FILE'
  return findSource(`${topic} --${flag.name}`) ?? findSource(`--${flag.name}`) ?? (isFile ? 'files' : undefined)
}

// Only the first argument of a command has values.
export function findArgumentValues({id, args}: Command.Cached): ValueSource | undefined {
  const [first] = Object.values(args)
  if (!first) return undefined
  return first.options ?? findSource(`${id.split(':')[0]} ${first.name.toUpperCase()}`)
}
