// The OpenAPI 3.1 document of the service, generated from the contract.
import {z} from 'zod'
import {customer} from './customers.ts'
import {type Endpoint, type EndpointName, endpointEntries} from './endpoints.ts'
import {customerUpdatedAlsoWritten, customerUpdatedName} from './vocabulary.ts'
import {type SchemaCollector, createSchemaCollector} from './json-schema.ts'
import {timestamp} from './scalars.ts'
import {serviceErrors} from './service-errors.ts'

function buildOperation(name: EndpointName, topic: string, endpoint: Endpoint, schemas: SchemaCollector) {
  const json = (schema: z.ZodType) => ({'application/json': {schema: schemas.add(schema)}})
  const parameters = (['params', 'query', 'headers'] as const).flatMap((part) => {
    const schema = endpoint[part]
    if (!schema) return []
    const {properties = {}, required = []} = schemas.add(schema)
    return Object.entries(properties).map(([field, {description, 'x-format': format, ...own}]) => ({
      name: field,
      in: {params: 'path', query: 'query', headers: 'header'}[part],
      required: required.includes(field),
      ...(description && {description}),
      schema: {...own, ...(format !== undefined && {format})},
    }))
  })
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

export function buildOpenApiDocument(serverUrl: string, version: string) {
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
  const listErrors = (from: number, to: number) =>
    serviceErrors
      .filter(({statusCode}) => statusCode >= from && statusCode < to)
      .map(
        ({statusCode, error, condition, assumed}) =>
          `${statusCode} ${error}: ${condition}${assumed ? ' (assumed)' : ''}`,
      )
      .join('\n\n')
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
  return {
    openapi: '3.1.0',
    info: {
      title: 'Fiat and crypto payments service',
      version,
      description: 'Customers and their verification, payment accounts, quotes, transactions and automation rules.',
      license: {name: 'Proprietary', identifier: 'LicenseRef-Proprietary'},
    },
    servers: [{url: serverUrl}],
    security: [{bearer: []}],
    tags: [...new Set(endpointEntries.map(({topic}) => topic))].map((name) => ({
      name,
      description: `Everything about ${name}`,
    })),
    paths,
    webhooks: {[customerUpdatedName]: webhook},
    components: {
      securitySchemes: {bearer: {type: 'http', scheme: 'bearer', description: 'An API key or a JWT'}},
      responses: {
        Rejected: describeErrorReply(schemas, errorBody, listErrors(400, 500)),
        Failed: describeErrorReply(schemas, errorBody, listErrors(500, 600)),
      },
      schemas: schemas.definitions,
    },
  }
}

// The body of the service's errors.
export const errorBody = z.object({error: z.string(), message: z.string(), statusCode: z.int()}).meta({id: 'Error'})

export const describeErrorReply = (schemas: SchemaCollector, body: z.ZodType, description: string) => ({
  description,
  content: {'application/json': {schema: schemas.add(body)}},
})

// The body of the service's only webhook event, as the sandbox sends it (docs/assumptions.md, W1 and W2).
const customerUpdated = z
  .object({type: z.literal(customerUpdatedName), timestamp, data: customer})
  .meta({id: 'CustomerUpdated'})

const webhookHeaders = {
  'webhook-id': 'The id of the event, the same in every attempt',
  'webhook-timestamp': 'The time of the attempt, in seconds since 1970',
  'webhook-signature': 'v1 and the HMAC-SHA256 of id, timestamp and body, in Base64; several are separated by blanks',
}
