// Words from others that every object inherits, such as `constructor`, are not found in tables of ours.
import {expect, it} from 'vitest'
import {describeAccount} from '../../../src/accounts/describe-account.ts'
import {toHeaders} from '../../../src/events/record.ts'
import {validateCountry} from '../../../src/values/countries.ts'
import {lookUp} from '../../../src/values/records.ts'
import {reply, serve} from '../../support/service.ts'
import {freshHome, run} from '../../support/svc.ts'

const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf']

it.each(inherited)('%s', async (word) => {
  expect(lookUp({a: 1}, word)).toBeUndefined()
  expect(describeAccount({paymentAccountType: word})).toBe(word)
  expect(validateCountry('path', word)?.message).toBe('is not a country of ISO 3166-1')
  expect(Object.entries(toHeaders([word, 'x']))).toEqual([[word.toLowerCase(), 'x']])
  const service = await serve((_, response) => reply(response, 400, {error: word, message: 'No', statusCode: 400}))
  const {code, err} = await run(freshHome(), ['customers', 'list'], {env: service.env})
  expect({code, err}).toEqual({code: 3, err: `svc: The service refused the request (400 ${word}): No.\n`})
})
