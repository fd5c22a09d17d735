// svc sandbox verify and magic: a forced outcome of verification, and the list of magic values.
import {describe, expect, it} from 'vitest'
import {customer} from '../../../src/contract/customers.ts'
import {issueCodes} from '../../../src/contract/issue-codes.ts'
import {freshHome, json, run} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'

// A demo customer with the status CREATED.
const grace = 'f80a5001-be2d-4368-9726-a4523bfb5e71'
const unknownId = '00000000-0000-4000-8000-000000000000'
const verify = (...more: string[]) => ['sandbox', 'verify', grace, ...more]

describe('svc sandbox verify', () => {
  it('shows the changed customer on a terminal', async () => {
    const screen = onTerminal(freshHome(), verify('--outcome', 'rejected', '--code', 'AML_MATCH'), {cols: 120})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/STATUS +REJECTED/)
    expect(screen.text()).toMatch(/ISSUES +AML_MATCH: The name matched/)
  })

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

  it.each([
    ['no outcome', verify(), 2, '--outcome|outcome'],
    ['an unknown outcome', verify('--outcome', 'good'), 2, 'approved, needs-information, rejected'],
    ['a code that has no place', verify('--outcome', 'approved', '--code', 'AML_MATCH'), 2, 'has no issues'],
    ['what is no id', ['sandbox', 'verify', 'grace', '--outcome', 'approved'], 2, 'is not a UUID'],
    ['an unknown customer', ['sandbox', 'verify', unknownId, '--outcome', 'approved'], 5, unknownId],
    ['no customer', ['sandbox', 'verify', '--outcome', 'approved'], 2, 'Missing CUSTOMER'],
  ])('rejects %s', async (_, args, exitCode, expected) => {
    const home = freshHome()
    const {code, out, err} = await run(home, args)
    expect({code, out}).toEqual({code: exitCode, out: ''})
    expect(err).toMatch(new RegExp(expected))
    const {out: after} = await run(home, ['customers', 'get', grace, '-p', 'sandbox', '--json'])
    expect(json(after)).toMatchObject({customerStatus: 'CREATED'})
  })
})

describe('svc sandbox magic', () => {
  it('lists the values, their fields and their effects on a terminal', async () => {
    const screen = onTerminal(freshHome(), ['sandbox', 'magic'], {cols: 160})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/VALUE +EFFECT +FIELD +PRECEDENCE/)
    expect(screen.text()).toMatch(/MAGIC_REJECT +REJECTED.* accountPurposeOther/)
  })

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
