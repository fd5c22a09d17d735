// svc accounts list: on a terminal, in a pipe, as JSON, filtered, and rejected.
import {describe, expect, it} from 'vitest'
import {reply, serve} from '../../support/service.ts'
import {freshHome, json, run} from '../../support/svc.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const list = ['accounts', 'list', '--customer', zoe]
const onSandbox = [...list, '-p', 'sandbox']
const grace = 'f80a5001-be2d-4368-9726-a4523bfb5e71'

describe('svc accounts list', () => {
  it('prints the service’s own envelope as JSON, the pending account with its empty id', async () => {
    const {out, err} = await run(freshHome(), [...onSandbox, '--all', '--json'])
    const {paymentAccounts} = json(out) as {paymentAccounts: Array<Record<string, unknown>>}
    expect(paymentAccounts).toHaveLength(9)
    expect(paymentAccounts.at(-1)).toMatchObject({paymentAccountId: '', paymentAccountStatus: 'PENDING'})
    expect(err).toBe('')
  })

  it('says of a customer without accounts how one comes about', async () => {
    const home = freshHome()
    const listGrace = ['accounts', 'list', '--customer', grace, '-p', 'sandbox']
    expect(await run(home, listGrace)).toEqual({
      code: 0,
      out: '',
      err: `No payment accounts.\nThe customer is CREATED. Only an ACTIVE customer can pay: \`svc customers get ${grace} -p sandbox\` shows more.\n`,
    })
    await run(home, ['sandbox', 'verify', grace, '--outcome', 'approved'])
    expect((await run(home, listGrace)).err).toBe(
      `No payment accounts.\nAdd one with \`svc sandbox accounts add --customer ${grace} --type SVC_CRYPTO_WALLET --chain BASE --balance 500\`.\n`,
    )
  })

  it('leaves out pending accounts with --since, and counts them', async () => {
    const {out, err} = await run(freshHome(), [...onSandbox, '--since', '2020-01-01', '-o', 'jsonl'])
    expect(out.trimEnd().split('\n')).toHaveLength(8)
    expect(err).toBe('Left out 1 payment account with no createdAt that can be read (pending ones have none).\n')
  })

  it('shows unknown and missing fields without failing', async () => {
    const odd = {paymentAccountId: 'x', externalBankAccount: null, svcCryptoWallet: 3, paymentAccountStatus: 'FROZEN'}
    const service = await serve((_, response) => reply(response, 200, {paymentAccounts: [odd, {}]}))
    const {code, out} = await run(freshHome(), [...list, '--status', 'frozen'], {env: service.env})
    expect({code, out}).toEqual({code: 0, out: expect.stringMatching(/^ID .*\nx +FROZEN\n$/) as unknown})
  })
})
