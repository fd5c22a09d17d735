// Describes what a field of the contract accepts, in words, for templates and their documentation.
import type {JsonSchema} from '../../contract/json-schema.ts'
import {limits} from '../../contract/limits.ts'

const kilobyte = 1000
const megabyte = 1024 * 1024

const imageFormat =
  `The path of a JPG, PNG or PDF file, ${limits.documentBytesMin / kilobyte} KB to ` +
  `${limits.documentBytesMax / megabyte} MB, at least ${limits.documentPixelsMin}x${limits.documentPixelsMin} pixels`

type Describe = (example: string) => string

// By the pattern of the contract's scalars.
const formatsByPattern: ReadonlyArray<readonly [looks: RegExp, describe: Describe]> = [
  [/^\^\[A-Z\]\{2\}\$$/, (example) => `A country code of two letters, such as ${example}`],
  [/^\^data:/, () => imageFormat],
  [/^\^\\\+/, (example) => `In E.164 form, such as ${example}`],
  [/^\^\\d\{1,30\}/, () => 'A decimal number, such as 12.50'],
]

const formatsByName: Readonly<Record<string, () => string>> = {
  date: () => 'A date, YYYY-MM-DD',
  email: () => 'Such as ada@example.com',
  // Templates have no other than that of a customer.
  uuid: () => 'The id, its first 8 or more characters, or the email',
  uri: () => 'An address that begins with https:// or http://',
}

const listValues = (schema: JsonSchema, name: string) => schema[name] as readonly string[] | undefined

// The values that a field may have, or those that are known; others are accepted too.
export const findValues = (schema: JsonSchema): {values: readonly string[]; isOpen: boolean} | undefined => {
  const inner = schema['type'] === 'array' ? (schema['items'] as JsonSchema) : schema
  const closed = listValues(inner, 'enum')
  const values = closed ?? listValues(inner, 'x-values-seen')
  return values && {values, isOpen: closed === undefined}
}

function describeValues(schema: JsonSchema): string | undefined {
  const found = findValues(schema)
  if (!found) return undefined
  const {values, isOpen} = found
  const isList = schema['type'] === 'array'
  if (isList) return `A list such as [${values.join(', ')}]; other codes are accepted`
  return isOpen ? `Such as ${values.join(', ')}; other codes are accepted` : `One of ${values.join(', ')}`
}

// Empty for a field that takes any text.
export function describeFormat(schema: JsonSchema): string {
  const {type, pattern, format, minimum, maximum, minLength, maxLength} = schema
  const example = listValues(schema, 'examples')?.[0] ?? ''
  const byPattern = formatsByPattern.find(([looks]) => looks.test(String(pattern)))?.[1]
  if (byPattern) return byPattern(example)
  const values = describeValues(schema)
  if (values) return values
  const byName = typeof format === 'string' ? formatsByName[format] : undefined
  if (byName) return byName()
  if (type === 'boolean') return 'true or false'
  if (type === 'number') return `A number from ${String(minimum)} to ${String(maximum)}`
  if (type === 'array') return 'A list such as [one, another]'
  return typeof maxLength === 'number' ? `${String(minLength)} to ${maxLength} characters` : ''
}
