// The OpenAPI document: generated from the contract.
import {Ajv2020} from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import {describe, expect, it} from 'vitest'
import {buildOpenApiDocument} from '../../../src/contract/openapi.ts'
import {validateBody} from '../../../src/library/contract.ts'
import {createSandbox} from '../../../src/library/sandbox.ts'

describe('the OpenAPI document', () => {
  const document = buildOpenApiDocument('https://api.service.invalid')

  const ajv = ajvFormats.default(new Ajv2020({strict: false}))
  ajv.addSchema(document, 'document')
  const matches = (value: unknown, schema: string) => ajv.getSchema(`document#/components/schemas/${schema}`)?.(value)

  it('describes the event as it is sent, in its envelope and with its headers', async () => {
    using sandbox = createSandbox()
    const {customerId} = await sandbox.client.customers.create({customerType: 'INDIVIDUAL', email: 'ines@example.com'})
    sandbox.verify(customerId, 'rejected')
    const [event] = sandbox.events.list()
    const {parameters, requestBody} = document.webhooks['customer.updated'].post
    expect(requestBody.content['application/json'].schema).toEqual({$ref: '#/components/schemas/CustomerUpdated'})
    expect(matches(JSON.parse(event?.body ?? ''), 'CustomerUpdated')).toBe(true)
    const {headers} = sandbox.events.toRequest(event ?? expect.fail())
    expect(parameters.filter(({name}) => !headers.has(name))).toEqual([])
  })

  const nobody = {customerType: 'INDIVIDUAL', email: 'ines@example.com'}
  const withImage = (frontIdImage: string) => ({...nobody, kycData: {documents: [{frontIdImage}]}})
  const withWebsite = (website: string) => ({
    customerType: 'BUSINESS',
    email: 'books@example.com',
    kybData: {businessInfo: {website}},
  })
  const withStreet = (streetLine1: string) => ({...nobody, kycData: {address: {streetLine1}}})

  it.each([
    ['an upper-case MIME type', withImage('DATA:IMAGE/PNG;BASE64,AAAA')],
    ['no data URI', withImage('AAAA')],
    ['an email without a domain', {...nobody, email: 'ines@localhost'}],
    ['an email with two dots', {...nobody, email: 'ines..v@example.com'}],
    ['an email with a plus', {...nobody, email: 'ines+kyc@example.com'}],
    ['an international website', withWebsite('https://bücher.example/über uns')],
    ['a website that is none', withWebsite('bücher.example')],
    ['a street of blanks', withStreet('      ')],
    ['a street with blanks around it', withStreet(' Main St 1 ')],
    ['a national id without its type', {...nobody, kycData: {nationalIdNumber: '123'}}],
    [
      'a national id of a person without its country',
      {
        customerType: 'BUSINESS',
        email: 'books@example.com',
        kybData: {associatedPersons: [{nationalIdNumber: '123', nationalIdType: 'SSN'}]},
      },
    ],
  ])('is exactly as strict as the contract about %s', (_, body) => {
    expect(matches(body, 'CustomerCreate')).toBe(validateBody('customers.create', body).length === 0)
  })

  it.each(['0', '12.5', '100.00', '100.01', '1000', '-1', 'x'])(
    'is as strict as the contract about %s percent',
    (value) => {
      const amount = {type: 'PCT', value}
      const wrong = validateBody('rules.create', {transactionTemplate: {amount}}).filter(({path}) =>
        path.includes('value'),
      )
      expect(wrong.length).toBeLessThan(2)
      expect(matches(amount, 'RuleAmount')).toBe(wrong.length === 0)
    },
  )

  it('has the form that the interface gives to the filter by account', () => {
    expect(document.paths['/transactions']?.['get']).toMatchObject({
      parameters: expect.arrayContaining([
        expect.objectContaining({name: 'paymentAccountId', schema: {type: 'string', minLength: 1, format: 'uuid'}}),
      ]) as unknown,
    })
  })
})
