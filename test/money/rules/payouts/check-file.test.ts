// What is said of a file of which nothing is paid.
import {afterEach, expect, it} from 'vitest'
import {duplicateCode} from '../../../../src/payments/protocol/duplicates.ts'
import {unknownContent} from '../../../../src/payments/protocol/payment.ts'
import {refuseRows} from '../../../../src/payouts/file/check-file.ts'
import {toResult} from '../../../../src/payouts/run/result.ts'
import {suggestProfile} from '../../../../src/values/text.ts'

afterEach(() => suggestProfile(undefined))

it('a file whose payees wait is approved with the profile that was named, which is known after the code was loaded', () => {
  suggestProfile('acme')
  const row = {line: 2, key: 'a', content: unknownContent, limits: {}, isGuaranteed: false}
  const refuse = (error: string) => refuseRows([toResult(row, 'STOPPED', {error, message: 'why'})], [row], false)
  expect(refuse('PAYEE_WAITS').hint).toContain('`svc approve FILE -p acme`')
  expect(refuse(duplicateCode)).toMatchObject({error: duplicateCode, kind: 'limit', effect: 'none'})
})
