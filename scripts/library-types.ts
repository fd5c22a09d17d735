// Writes the entities, the bodies and the endpoints of the contract as TypeScript types that need no zod. The build puts them in
// the place of src/library/service-types.ts and client-methods.ts, which derive the same types from the contract.
import {isDeepStrictEqual} from 'node:util'
import type {z} from 'zod'
import {type Endpoint, endpointEntries, endpoints} from '../src/contract/endpoints.ts'
import {issueCodes} from '../src/contract/issue-codes.ts'
import {type JsonSchema, createSchemaCollector} from '../src/contract/json-schema.ts'
import {paymentMethod} from '../src/contract/scalars.ts'
import {toOptionName} from '../src/library/typed-client.ts'

// Enumerations that are used in several places, or that are long.
const namedValues: Readonly<Record<string, readonly unknown[]>> = {
  PaymentMethod: paymentMethod.options,
  IssueCode: issueCodes.map(({code}) => code),
}

const scalarTypes: Readonly<Record<string, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

// Other values than these are valid too. An editor still suggests these.
const joinValues = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).join(' | ')
const openText = (values: readonly unknown[]) => `${joinValues(values)} | (string & {})`

function nameValues(values: readonly unknown[], isOpen: boolean): string {
  const name = Object.keys(namedValues).find((each) => isDeepStrictEqual(namedValues[each], values))
  if (name) return isOpen ? `${name} | (string & {})` : name
  return isOpen ? openText(values) : joinValues(values)
}

// `isOpen` for replies, in which a service may send values that the interface does not list yet.
function toType(schema: JsonSchema, isOpen: boolean): string {
  const {$ref, enum: values, anyOf, oneOf, 'x-values-seen': seen} = schema
  if ($ref !== undefined) return $ref
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const choices = anyOf ?? oneOf
  if (choices) return choices.map((choice) => toType(choice, isOpen)).join(' | ')
  if (values) return nameValues(values, isOpen)
  if (seen) return openText(seen)
  if (schema.type === 'array') return `Array<${schema.items ? toType(schema.items, isOpen) : 'unknown'}>`
  if (schema.properties) return `{\n${toFields(schema, isOpen)}\n}`
  const types = [schema.type ?? []].flat()
  return types.map((type) => scalarTypes[type] ?? 'Record<string, unknown>').join(' | ') || 'unknown'
}

function toFields({properties = {}, required = []}: JsonSchema, isOpen: boolean): string {
  return Object.entries(properties)
    .map(([name, field]) => {
      const comment = field.description ? `/** ${field.description} */\n` : ''
      const isRequired = required.includes(name)
      return `${comment}${name}${isRequired ? '' : '?'}: ${toType(field, isOpen)}${isRequired ? '' : ' | undefined'}`
    })
    .join('\n')
}

function toDeclaration(name: string, schema: JsonSchema, isOpen: boolean): string {
  if (schema.properties) return `export interface ${name} {\n${toFields(schema, isOpen)}\n}`
  return `export type ${name} = ${toType(schema, isOpen)}`
}

const declareAll = (definitions: Readonly<Record<string, JsonSchema>>, isOpen: boolean) =>
  Object.entries(definitions).map(([name, schema]) => toDeclaration(name, schema, isOpen))

const convert = (schema: z.ZodType | undefined): JsonSchema => (schema ? createSchemaCollector('').add(schema) : {})

const omitFields = (schema: JsonSchema, names: readonly string[]): JsonSchema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name))),
})

// On one line if it has one field.
function toInlineType(schema: JsonSchema, isOpen: boolean): string {
  const isShort = Object.keys(schema.properties ?? {}).length === 1 && !toFields(schema, isOpen).includes('\n')
  return isShort ? `{${toFields(schema, isOpen)}}` : toType(schema, isOpen)
}

// An argument that may be left out if all its fields may.
const toArgument = (name: string, schema: JsonSchema, type: string) =>
  `${name}${schema.required?.length ? '' : '?'}: ${type}`

// The query and the headers of an endpoint that is no list, as the last argument of its function.
function toOptions({query, headers}: Endpoint): string[] {
  const [asked, sent] = [convert(query), convert(headers)]
  const headerFields = Object.entries(sent.properties ?? {}).map(([name, field]) => [toOptionName(name), field])
  const properties: Record<string, JsonSchema> = {...asked.properties, ...Object.fromEntries(headerFields)}
  const options = {properties, required: [...(asked.required ?? []), ...(sent.required ?? []).map(toOptionName)]}
  return Object.keys(properties).length > 0 ? [toArgument('options', options, toInlineType(options, false))] : []
}

interface Declarations {
  methods: string[]
  // What a list can be filtered by.
  filters: string[]
}

// A list, and if it has pages `all`, which reads them one after the other.
function declareList(verb: string, endpoint: Endpoint, itemsKey: string): Declarations {
  const reply = convert(endpoint.reply)
  const isPaged = reply.properties?.['nextPageToken'] !== undefined
  const item = toType(reply.properties?.[itemsKey]?.items ?? {}, true)
  const filter = omitFields(convert(endpoint.query), ['pageToken', 'pageSize'])
  const query = toArgument('query', filter, isPaged ? `${item}Filter & PageQuery` : `${item}Filter`)
  const page = isPaged ? `{${itemsKey}: ${item}[]} & NextPage` : `{${itemsKey}: ${item}[]}`
  const all = `/** Every item of the list, page after page. */
    all(${toArgument('filter', filter, `${item}Filter`)}): AsyncIterableIterator<${item}>`
  return {
    methods: [`${verb}(${query}): Promise<${page}>`, ...(isPaged ? [all] : [])],
    filters: [toDeclaration(`${item}Filter`, filter, false)],
  }
}

function declareEndpoint(verb: string, endpoint: Endpoint): Declarations {
  if (endpoint.items) return declareList(verb, endpoint, endpoint.items)
  const params = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `${name}: string`)
  const body = endpoint.body ? [`body: ${toType(convert(endpoint.body.optional()), false)}`] : []
  const args = [...params, ...body, ...toOptions(endpoint)].join(', ')
  return {methods: [`${verb}(${args}): Promise<${toType(convert(endpoint.reply), true)}>`], filters: []}
}

function declareClient(): string {
  const filters: string[] = []
  const topics = Object.entries(endpoints).map(([topic, verbs]) => {
    const methods = Object.entries<Endpoint>(verbs).flatMap(([verb, endpoint]) => {
      const declared = declareEndpoint(verb, endpoint)
      filters.push(...declared.filters)
      const {summary, note} = endpoint
      return [note ? `/**\n * ${summary}.\n * ${note}\n */` : `/** ${summary}. */`, ...declared.methods]
    })
    return `${topic}: {\n${methods.join('\n')}\n}`
  })
  const client = `/** Every endpoint of the service as a function. */\nexport interface Client {\n${topics.join('\n')}\n}`
  return [client, ...filters].join('\n\n')
}

// The names in a text that are declared in another file.
const importNames = (text: string, names: readonly string[], file: string) =>
  `import type {${names
    .filter((name) => new RegExp(`\\b${name}\\b`).test(text))
    .toSorted()
    .join(', ')}} from '${file}'`

// The text of each file, by its name in src/library. A schema that replies and bodies share is declared with the replies.
export function buildLibraryTypes(): Record<string, string> {
  const replies = createSchemaCollector('')
  const bodies = createSchemaCollector('')
  for (const {endpoint} of endpointEntries) {
    replies.add(endpoint.reply)
    // A schema becomes a definition where another one refers to it.
    if (endpoint.body) bodies.add(endpoint.body.optional())
  }
  const onlyInBodies = Object.fromEntries(
    Object.entries(bodies.definitions).filter(([name]) => !(name in replies.definitions)),
  )
  const client = declareClient()
  const names = [...Object.keys(onlyInBodies), ...Object.keys(replies.definitions)]
  return {
    'service-types.ts': [
      ...Object.entries(namedValues).map(([name, values]) => `export type ${name} = ${joinValues(values)}`),
      ...declareAll(replies.definitions, true),
      ...declareAll(onlyInBodies, false),
    ].join('\n\n'),
    'client-methods.ts': [
      "import type {NextPage, PageQuery} from './client.ts'",
      importNames(client, names, './service-types.ts'),
      client,
    ].join('\n'),
  }
}
