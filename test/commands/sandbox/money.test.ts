// svc sandbox accounts, fund and settle: output on a terminal, in a pipe and as JSON, and rejected input.
import {describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../support/payments.ts'
import {freshHome, run} from '../../support/svc.ts'

describe('svc sandbox settle', () => {
  it('takes the key of a payment', async () => {
    const home = freshHome()
    await run(home, [...payment('rent', '10'), ...inSandbox, '--quiet'])
    const {code, out} = await run(home, ['sandbox', 'settle', 'rent', '--outcome', 'failed'])
    expect({code, out}).toEqual({code: 0, out: expect.stringMatching(/STATUS +FAILED/)})
  })
})
