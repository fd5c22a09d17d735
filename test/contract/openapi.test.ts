// The OpenAPI document: generated from the contract, and valid for a public linter.
import {describe, expect, it} from 'vitest'
import {endpointEntries} from '../../src/contract/endpoints.ts'
import {buildOpenApiDocument} from '../../src/contract/openapi.ts'
import {lintOpenApi} from '../support/lint-openapi.ts'

describe('the OpenAPI document', () => {
  const document = buildOpenApiDocument('https://api.service.invalid', '1.0.0')

  it('passes a public linter without an error or a warning', async () => {
    expect(await lintOpenApi(document)).toMatchObject({errors: 0, warnings: 0})
  })

  it('has an operation for every endpoint, and both paths of the customer read', () => {
    const operations = Object.entries(document.paths).flatMap(([at, methods]) =>
      Object.keys(methods).map((m) => `${m} ${at}`),
    )
    expect(operations).toHaveLength(endpointEntries.length + 1)
    expect(operations).toContain('get /customer/{customerId}')
  })

  it('is OpenAPI 3.1 with the event as a webhook', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.webhooks)).toEqual(['customer.updated'])
  })
})
