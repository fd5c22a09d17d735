// svc sandbox verify and magic: a forced outcome of verification, and the list of magic values.
import {describe, expect, it} from 'vitest'
import {customer} from '../../../src/contract/customers.ts'
import {issueCodes} from '../../../src/contract/issue-codes.ts'
import {freshHome, json, run} from '../../support/svc.ts'

// A demo customer with the status CREATED.
const grace = 'f80a5001-be2d-4368-9726-a4523bfb5e71'
const verify = (...more: string[]) => ['sandbox', 'verify', grace, ...more]

describe('svc sandbox verify', () => {
  it('prints the customer as JSON, with every code and the message, as in the service’s reply', async () => {
    const home = freshHome()
    const codes = ['--code', 'DOC_QUALITY_POOR', '--code', 'document_expired']
    const {code, out} = await run(
      home,
      verify('--outcome', 'needs-information', ...codes, '--message', 'Again, please.', '--json'),
    )
    expect(code).toBe(0)
    const forced = customer.parse(json(out))
    expect(forced.customerStatus).toBe('NEEDS_ADDITIONAL_INFORMATION')
    expect(forced.verificationIssues?.map((issue) => `${issue.code} ${issue.message}`)).toEqual([
      'DOC_QUALITY_POOR Again, please.',
      'DOCUMENT_EXPIRED Again, please.',
    ])
    expect(json((await run(home, ['customers', 'get', grace, '-p', 'sandbox', '--json'])).out)).toEqual(json(out))
  })
})

describe('svc sandbox magic', () => {
  it('has every issue code in its JSON, and the transaction outcomes as well', async () => {
    const {code, out} = await run(freshHome(), ['sandbox', 'magic', '--json'])
    expect(code).toBe(0)
    const {magic} = json(out) as {magic: {of: string; value: string; code?: string; field: string; effect: string}[]}
    for (const {code: issue} of issueCodes) {
      expect(magic.find((value) => value.code === issue)).toMatchObject({
        of: 'verification',
        value: `MAGIC_${issue}`,
        field: 'accountPurposeOther',
        precedence: 3,
      })
    }
    expect(magic.filter(({of}) => of === 'transaction').length).toBeGreaterThan(0)
    for (const {value, field, effect} of magic)
      expect([value, field, effect].every((text) => text.length > 0)).toBe(true)
  })
})
