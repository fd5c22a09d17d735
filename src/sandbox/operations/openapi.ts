// The OpenAPI 3.1 document of control, generated from the table of operations and their schemas.
import {z} from 'zod'
import {type JsonSchema, createSchemaCollector} from '../../contract/json-schema.ts'
import {describeErrorReply} from '../../contract/openapi.ts'
import {controlPrefix} from './constants.ts'
import {controlErrors} from './control-reply.ts'
import {getMethod} from './define.ts'
import {type OperationName, getOperation, operationNames as names} from './operations.ts'
import {createInputSchema, createOutputSchema} from './schema-kit.ts'

const documentVersion = '1.0.0'
const getTag = (name: OperationName) => name.split('.', 1)[0] ?? name

const errorBody = z
  .strictObject({
    error: z.enum(Object.keys(controlErrors)),
    message: z.string().describe('One sentence for people'),
  })
  .meta({id: 'ControlError'})

interface Field extends JsonSchema {
  description?: string
}

interface ObjectSchema {
  properties?: Record<string, Field>
  required?: string[]
}

const listParameters = ({properties = {}, required = []}: ObjectSchema) =>
  Object.entries(properties).map(([field, {description, ...schema}]) => ({
    name: field,
    in: 'query',
    required: required.includes(field),
    ...(description && {description}),
    schema,
  }))

const describeErrors = (from: number, to: number) =>
  Object.entries(controlErrors)
    .filter(([, {status}]) => status >= from && status < to)
    .map(([error, {status, condition}]) => `${status} ${error}: ${condition}`)
    .join('\n\n')

function buildOperation(name: OperationName, schemas: ReturnType<typeof createSchemaCollector>) {
  const operation = getOperation(name)
  const {says, input: fields, output} = operation
  const method = getMethod(operation)
  const input = schemas.add(createInputSchema(fields)) as ObjectSchema
  const isEmpty = Object.keys(input.properties ?? {}).length === 0
  return {
    operationId: name.replaceAll(/\W/g, '_'),
    summary: says,
    description: `As \`svc sandbox ${name.replaceAll('.', ' ')}\`.`,
    tags: [getTag(name)],
    ...(method === 'GET' && {parameters: listParameters(input)}),
    ...(method === 'POST' &&
      !isEmpty && {
        requestBody: {
          required: (input.required ?? []).length > 0,
          content: {'application/json': {schema: input}},
        },
      }),
    responses: {
      200: {description: 'Done', content: {'application/json': {schema: schemas.add(createOutputSchema(output))}}},
      '4XX': {$ref: '#/components/responses/Rejected'},
      '5XX': {$ref: '#/components/responses/Failed'},
    },
  }
}

export function buildControlDocument(url: string) {
  const schemas = createSchemaCollector('#/components/schemas/')
  const paths = Object.fromEntries(
    names.map((name) => [
      `/${name.replaceAll('.', '/')}`,
      {[getMethod(getOperation(name)).toLowerCase()]: buildOperation(name, schemas)},
    ]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Control of the svc sandbox',
      version: documentVersion,
      description:
        'Moves the clock of a running sandbox, decides verifications and transactions, adds money, simulates failures and reads what arrived. Every endpoint is a command of `svc sandbox`.',
      license: {name: 'Proprietary', identifier: 'LicenseRef-Proprietary'},
    },
    servers: [{url: url + controlPrefix}],
    security: [{token: []}],
    tags: [...new Set(names.map(getTag))].map((tag) => ({name: tag, description: `The commands svc sandbox ${tag}`})),
    paths,
    components: {
      securitySchemes: {
        token: {type: 'http', scheme: 'bearer', description: 'The controlToken that `svc sandbox start --json` prints'},
      },
      responses: {
        Rejected: describeErrorReply(schemas, errorBody, describeErrors(400, 500)),
        Failed: describeErrorReply(schemas, errorBody, describeErrors(500, 600)),
      },
      schemas: schemas.definitions,
    },
  }
}
