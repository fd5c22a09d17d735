// The names of flags and columns in what the service says about fields.
import {expect, it} from 'vitest'
import {SvcError} from '../../src/errors.ts'
import {addFlagNames, withFlagNames} from '../../src/quotes/name-fields.ts'

it('names the column behind the field, once and only for a whole path', () => {
  const name = (text: string) => addFlagNames(text, (column) => `column ${column}`)
  const named = 'not made: destination.destinationPaymentAccountId (column to) belongs to another customer'
  expect(name('not made: destination.destinationPaymentAccountId belongs to another customer')).toBe(named)
  expect(name(named)).toBe(named)
  expect(name('kyc.customerId and customerIds are wrong')).toBe('kyc.customerId and customerIds are wrong')
})

it('names the flag in an error, and keeps the rest of it', async () => {
  const error = new SvcError({error: 'E', kind: 'refused', message: 'source.sourceAmount is wrong', statusCode: 400})
  await expect(withFlagNames(() => Promise.reject(error))).rejects.toMatchObject({
    message: 'source.sourceAmount (--amount) is wrong',
    kind: 'refused',
    statusCode: 400,
  })
  const other = new SvcError({error: 'E', kind: 'refused', message: 'it is wrong'})
  await expect(withFlagNames(() => Promise.reject(other))).rejects.toBe(other)
})
