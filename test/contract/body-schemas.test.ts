// The schemas of bodies, which are loaded by the name of the endpoint, are those of the contract.
import {expect, it} from 'vitest'
import {loadBodySchema} from '../../src/contract/body-schemas.ts'
import {endpointEntries} from '../../src/contract/endpoints.ts'

it.each(endpointEntries.map(({name, endpoint}) => ({name, body: endpoint.body})))(
  'the body of $name is that of the contract',
  async ({name, body}) => expect(await loadBodySchema(name)).toBe(body),
)
