// svc quotes create: on a terminal, in a pipe, as JSON, and rejected.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {freshHome, json, run} from '../../support/svc.ts'

const zoe = '4738020a-a06d-4ef3-bc07-b5cacbf3446c'
const wallet = '64fbd491-4b09-49d5-b40c-8b27facb31a9'
const bank = 'e6086267-7e5a-4a91-b136-a94b38bbbfb8'
const from = ['--from', wallet, '--from-currency', 'USDC', '--from-method', 'SOLANA']
const to = ['--to', bank, '--to-currency', 'USD', '--to-method', 'ACH']
const create = ['quotes', 'create', '--customer', zoe, ...from, ...to]
const onSandbox = [...create, '--amount', '100.00', '-p', 'sandbox']

const body = {
  customerId: zoe,
  source: {
    sourcePaymentAccountId: wallet,
    sourceCurrency: 'USDC',
    sourcePaymentMethod: 'SOLANA',
    sourceAmount: '100.00',
  },
  destination: {destinationPaymentAccountId: bank, destinationPaymentMethod: 'ACH', destinationCurrency: 'USD'},
}

describe('svc quotes create', () => {
  it('is the same in a pipe, and says five minutes even if the clocks differ by months', async () => {
    const home = freshHome()
    await run(home, ['sandbox', 'clock', 'advance', '60d'])
    const {code, out, err} = await run(home, onSandbox)
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/VALID UNTIL .*, for (5:00|4:5\d)\n/)
    expect(out).toMatch(/\nARRIVES +about 99\.\d\d USD \(not guaranteed\)\n/)
  })

  it('reads the route from a file, with flags and --set on top', async () => {
    const home = freshHome()
    const file = path.join(home.folder, 'route.yaml')
    fs.writeFileSync(
      file,
      `customerId: ${zoe}\nsource: {sourcePaymentAccountId: ${wallet}, sourceCurrency: USDC, sourcePaymentMethod: SOLANA, sourceAmount: 7}\n` +
        `destination: {destinationPaymentAccountId: ${bank}, destinationCurrency: USD}\n`,
    )
    const flags = [
      '--set',
      'destination.destinationPaymentMethod=ACH',
      '--developer-fee',
      '1',
      '--guarantee',
      '--dry-run',
    ]
    const {code, out} = await run(home, ['quotes', 'create', '-f', file, '--amount', '100.00', ...flags])
    expect({code, request: json(out)}).toEqual({
      code: 0,
      request: {
        method: 'POST',
        path: '/quotes',
        body: {
          ...body,
          developerFee: {developerFeeType: 'SOURCE_CURRENCY', developerFeeAmount: '1'},
          guaranteeQuote: true,
        },
      },
    })
    const piped = await run(home, ['quotes', 'create', '-f', '-', '--dry-run'], {input: JSON.stringify(body)})
    expect(json(piped.out)['body']).toEqual(body)
  })

  it('takes from the accounts what they decide, and lists what they leave open', async () => {
    const home = freshHome()
    const short = ['quotes', 'create', '--customer', zoe, '--from', wallet, '--to', bank, '--amount', '100.00']
    const {out} = await run(home, [...short, '--from-currency', 'USDC', '--dry-run', '-p', 'sandbox'])
    expect(json(out)['body']).toEqual(body)
    const quoted = await run(home, [...short, '--from-currency', 'USDC', '-p', 'sandbox', '--json'])
    expect(quoted).toMatchObject({code: 0, err: ''})
    const open = await run(home, [...short, '-p', 'sandbox'])
    expect(open).toMatchObject({code: 2, out: ''})
    expect(open.err).toMatch(
      /^svc: --from-currency is needed: Service wallet .* takes USDC, USDT or another currency\./,
    )
  })
})
