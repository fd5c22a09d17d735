// Which values a shell can complete for a flag or an argument, by its name.
import type {Command} from '@oclif/core'
import {listEnumValues} from '../../contract/enum-values.ts'
import {idKinds} from '../../contract/ids.ts'

// Lists that are read when the shell asks: from the settings, from ids that were shown before, from docs/, or from Node.
const dynamicSources = ['profiles', 'aliases', 'pages', 'zones', ...idKinds] as const
export type DynamicSource = (typeof dynamicSources)[number]

// Fixed values, or the name of a list that is read when it is needed.
export type ValueSource = readonly string[] | DynamicSource | 'columns' | 'files'

export const isDynamicSource = (source: ValueSource): source is DynamicSource =>
  dynamicSources.some((name) => name === source)

const methods = listEnumValues('Customer', 'availablePaymentMethods')

// The interface has no list of currencies. These are the ones its payment methods carry (docs/assumptions.md, M1).
const currencies = ['CAD', 'EUR', 'INR', 'USD', 'USDC', 'USDT']

const httpMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

const issueCodes = listEnumValues('VerificationIssue', 'code')

const valueSources: Readonly<Record<string, ValueSource>> = {
  '--profile': 'profiles',
  '--columns': 'columns',
  '--sort': 'columns',
  '--method': methods,
  // In the sandbox topic, --method is an HTTP method.
  'sandbox --method': httpMethods,
  '--from-method': methods,
  '--to-method': methods,
  '--currency': currencies,
  '--from-currency': currencies,
  '--to-currency': currencies,
  '--slot-zone': 'zones',
  '--code': issueCodes,
  'customers --status': listEnumValues('Customer', 'customerStatus'),
  'customers --type': listEnumValues('Customer', 'customerType'),
  'accounts --status': listEnumValues('PaymentAccount', 'paymentAccountStatus'),
  'accounts --type': listEnumValues('PaymentAccount', 'paymentAccountType'),
  'transactions --status': listEnumValues('Transaction', 'transactionStatus'),
  '--customer': 'customers',
  '--account': 'accounts',
  '--from': 'accounts',
  '--to': 'accounts',
  // The address of a database.
  'journal --to': [],
  '--allow': 'accounts',
  '--quote': 'quotes',
  '--adopt': 'transactions',
  '--transaction': 'transactions',
  'customers ID': 'customers',
  'balance ID': 'customers',
  'open ID': 'customers',
  'accounts ID': 'accounts',
  'transactions ID': 'transactions',
  'rules ID': 'rules',
  'sandbox CUSTOMER': 'customers',
  'sandbox ACCOUNT': 'accounts',
  'sandbox TRANSACTION': 'transactions',
  'profiles NAME': 'profiles',
  'alias NAME': 'aliases',
  'docs TOPIC': 'pages',
  'codes CODE': issueCodes,
  'api METHOD': httpMethods,
  'approve SUBJECT': 'files',
}

const findSource = (key: string): ValueSource | undefined =>
  Object.hasOwn(valueSources, key) ? valueSources[key] : undefined

const fileValues = new Set(['FILE'])

// The flag's own options come first, then values for its topic, then files, then values for its name anywhere.
export function findFlagValues(id: string, flag: Command.Flag.Cached): ValueSource | undefined {
  if (flag.type !== 'option') return undefined
  if (flag.options) return flag.options
  const [topic = ''] = id.split(':')
  const isFile = 'helpValue' in flag && fileValues.has(String(flag.helpValue))
  return findSource(`${topic} --${flag.name}`) ?? (isFile ? 'files' : findSource(`--${flag.name}`))
}

// An argument that is called file takes one.
export function findArgumentValues({id, args}: Command.Cached, position: number): ValueSource | undefined {
  const found = Object.values(args)[position]
  if (!found) return undefined
  if (found.options) return found.options
  return findSource(`${id.split(':')[0]} ${found.name.toUpperCase()}`) ?? (found.name === 'file' ? 'files' : undefined)
}

// The summary of such a flag says so.
export const takesList = (flag: Command.Flag.Cached): boolean => /comma/.test(flag.summary ?? '')
