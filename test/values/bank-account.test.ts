import {describe, expect, it} from 'vitest'
import {isIban, isRoutingNumber} from '../../src/values/identifiers.ts'

describe('an IBAN', () => {
  it.each(['DE89370400440532013000', 'GB82 WEST 1234 5698 7654 32', 'no9386011117947'])('%s is valid', (text) => {
    expect(isIban(text)).toBe(true)
  })

  it.each(['', 'DE88370400440532013000', 'DE89', 'DE89370400440532013000DE89370400440532013000', '89DE370400440532'])(
    '%s is invalid',
    (text) => expect(isIban(text)).toBe(false),
  )
})

describe('a routing number', () => {
  it.each(['021000021', '111000025'])('%s is valid', (text) => expect(isRoutingNumber(text)).toBe(true))
  it.each(['', '021000022', '12345678', '0210000211', '02100002x'])('%s is invalid', (text) =>
    expect(isRoutingNumber(text)).toBe(false),
  )
})
