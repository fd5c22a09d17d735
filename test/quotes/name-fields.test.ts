// The names of flags and columns in what the service says about fields.
import {expect, it} from 'vitest'
import {SvcError} from '../../src/errors.ts'
import {nameFields, withFlagNames} from '../../src/quotes/name-fields.ts'

it('names the column instead of the field, only for a whole path', () => {
  const name = (text: string) => nameFields(text, (column) => `the column ${column}`)
  const named = 'not made: the column to belongs to another customer'
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
