// The OpenAPI 3.1 document of control, generated from the table of operations and their schemas.
import {createSchemaCollector} from '../../contract/json-schema.ts'
import {assembleDocument, listParameters} from '../../contract/openapi.ts'
import {controlPrefix} from './constants.ts'
import {getMethod} from './define.ts'
import {type OperationName, getOperation, operationNames as names} from './operations.ts'
import {createInputSchema, createOutputSchema} from './schema-kit.ts'

const getTag = (name: OperationName) => name.split('.', 1)[0] ?? name

function buildOperation(name: OperationName, schemas: ReturnType<typeof createSchemaCollector>) {
  const operation = getOperation(name)
  const {says, input: fields, output} = operation
  const method = getMethod(operation)
  const input = schemas.add(createInputSchema(fields))
  const isEmpty = Object.keys(input.properties ?? {}).length === 0
  return {
    operationId: name.replaceAll(/\W/g, '_'),
    summary: says,
    description: `As \`svc sandbox ${name.replaceAll('.', ' ')}\`.`,
    tags: [getTag(name)],
    ...(method === 'GET' && {parameters: listParameters(input, 'query')}),
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
  return assembleDocument(schemas, {
    url: url + controlPrefix,
    info: {
      title: 'Control of the svc sandbox',
      description:
        'Moves the clock of a running sandbox, decides verifications and transactions, adds money, simulates failures and reads what arrived. Every endpoint is a command of `svc sandbox`.',
    },
    credential: 'The controlToken that `svc sandbox start --json` prints',
    tags: new Map(names.map((name) => [getTag(name), `The commands svc sandbox ${getTag(name)}`])),
    paths,
    errors: ['422 NOT_POSSIBLE: The sandbox cannot do this; the message says why'],
  })
}
