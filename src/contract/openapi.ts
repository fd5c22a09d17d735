// The OpenAPI 3.1 document of the service, generated from the contract.
import {z} from 'zod'
import {customer} from './customers.ts'
import {type Endpoint, type EndpointName, endpointEntries} from './endpoints.ts'
import {customerUpdatedAlsoWritten, customerUpdatedName} from './vocabulary.ts'
import {type JsonSchema, type SchemaCollector, createSchemaCollector} from './json-schema.ts'
import {timestamp} from './scalars.ts'
import {serviceErrors} from './service-errors.ts'

export const listParameters = ({properties = {}, required = []}: JsonSchema, place: 'path' | 'query' | 'header') =>
  Object.entries(properties).map(([name, {description, 'x-format': format, ...own}]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(description && {description}),
    schema: {...own, ...(format !== undefined && {format})},
  }))

function buildOperation(name: EndpointName, topic: string, endpoint: Endpoint, schemas: SchemaCollector) {
  const json = (schema: z.ZodType) => ({'application/json': {schema: schemas.add(schema)}})
  const parameters = Object.entries({params: 'path', query: 'query', headers: 'header'} as const).flatMap(
    ([part, place]) => {
      const schema = endpoint[part as 'params']
      return schema ? listParameters(schemas.add(schema), place) : []
    },
  )
  return {
    operationId: name.replace('.', '_'),
    summary: endpoint.summary,
    tags: [topic],
    ...(parameters.length > 0 && {parameters}),
    ...(endpoint.body && {requestBody: {required: true, content: json(endpoint.body)}}),
    responses: {
      200: {description: 'Done', content: json(endpoint.reply)},
      '4XX': {$ref: '#/components/responses/Rejected'},
      '5XX': {$ref: '#/components/responses/Failed'},
    },
  }
}

export function buildOpenApiDocument(serverUrl: string) {
  const schemas = createSchemaCollector('#/components/schemas/')
  const paths: Record<string, Record<string, unknown>> = {}
  for (const {name, topic, endpoint} of endpointEntries) {
    const operation = buildOperation(name, topic, endpoint, schemas)
    const addPath = (path: string, value: unknown) => {
      paths[path] = {...paths[path], [endpoint.method.toLowerCase()]: value}
    }
    addPath(endpoint.path, operation)
    if (endpoint.pathAlso) addPath(endpoint.pathAlso, {...operation, operationId: `${operation.operationId}_also`})
  }
  const webhook = {
    post: {
      operationId: 'customer_updated',
      summary: 'A customer was updated',
      description: `Also written ${customerUpdatedAlsoWritten.join(', ')}. The interface shows the customer; the envelope, and the headers after Standard Webhooks, are assumed.`,
      parameters: Object.entries(webhookHeaders).map(([name, description]) => ({
        name,
        in: 'header',
        required: true,
        description,
        schema: {type: 'string'},
      })),
      requestBody: {required: true, content: {'application/json': {schema: schemas.add(customerUpdated)}}},
      responses: {200: {description: 'Received'}, '4XX': {description: 'Not wanted'}},
    },
  }
  const document = assembleDocument(schemas, {
    url: serverUrl,
    info: {
      title: 'Fiat and crypto payments service',
      description: 'Customers and their verification, payment accounts, quotes, transactions and automation rules.',
    },
    credential: 'An API key or a JWT',
    tags: new Map(endpointEntries.map(({topic}) => [topic, `Everything about ${topic}`])),
    paths,
  })
  return {...document, webhooks: {[customerUpdatedName]: webhook}}
}

export const errorBody = z.object({error: z.string(), message: z.string(), statusCode: z.int()}).meta({id: 'Error'})

const listErrors = (from: number, to: number) =>
  serviceErrors
    .filter(({statusCode}) => statusCode >= from && statusCode < to)
    .map(
      ({statusCode, error, condition, assumed}) => `${statusCode} ${error}: ${condition}${assumed ? ' (assumed)' : ''}`,
    )

interface DocumentParts {
  url: string
  info: {title: string; description: string}
  // What is sent as the bearer token.
  credential: string
  // What each tag is about.
  tags: ReadonlyMap<string, string>
  paths: Readonly<Record<string, Record<string, unknown>>>
  // Further errors, as lines.
  errors?: readonly string[]
}

// The frame of a document, with what its operations refer to.
export function assembleDocument(schemas: SchemaCollector, parts: DocumentParts) {
  const {url, info, credential, tags, paths, errors = []} = parts
  const describeErrors = (lines: readonly string[]) => ({
    description: lines.join('\n\n'),
    content: {'application/json': {schema: schemas.add(errorBody)}},
  })
  return {
    openapi: '3.1.0',
    info: {...info, version: '1.0.0', license: {name: 'Proprietary', identifier: 'LicenseRef-Proprietary'}},
    servers: [{url}],
    security: [{bearer: []}],
    tags: [...tags].map(([name, description]) => ({name, description})),
    paths,
    components: {
      securitySchemes: {bearer: {type: 'http', scheme: 'bearer', description: credential}},
      responses: {
        Rejected: describeErrors([...listErrors(400, 500), ...errors]),
        Failed: describeErrors(listErrors(500, 600)),
      },
      schemas: schemas.definitions,
    },
  }
}

// The body of the service's only webhook event, as the sandbox sends it (docs/assumptions.md, W1 and W2).
const customerUpdated = z
  .object({type: z.literal(customerUpdatedName), timestamp, data: customer})
  .meta({id: 'CustomerUpdated'})

const webhookHeaders = {
  'webhook-id': 'The id of the event, the same in every attempt',
  'webhook-timestamp': 'The time of the attempt, in seconds since 1970',
  'webhook-signature': 'v1 and the HMAC-SHA256 of id, timestamp and body, in Base64; several are separated by blanks',
}
