// What --quiet silences: notices always, and the output of a write only where no format was asked for.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {useVirtualTime} from '../../support/virtual-time.ts'

useVirtualTime()

const pay =
  'pay -p sandbox --customer 4738020a --from 64fbd491 --from-currency USDC --to 5e24c2b3 --amount 7 --key quiet --quiet'.split(
    ' ',
  )

const payroll = `key,customer,from,fromCurrency,to,amount
a,4738020a-a06d-4ef3-bc07-b5cacbf3446c,64fbd491-4b09-49d5-b40c-8b27facb31a9,USDC,5e24c2b3-ff61-4ecc-b251-513b79598ccd,7
`

function writePayroll({folder}: Home): string {
  const file = path.join(folder, 'payroll.csv')
  fs.writeFileSync(file, payroll)
  return file
}

describe('--quiet', () => {
  it('prints nothing when a write succeeds', async () => {
    expect(await run(freshHome(), pay)).toEqual({code: 0, out: '', err: ''})
  })

  it.each([
    [['--json'], {}],
    [['-o', 'jsonl'], {}],
    [['-o', 'table'], {}],
    [['--jq', '.transactionId'], {}],
    [['--columns', 'id'], {}],
    [[], {SVC_OUTPUT: 'json'}],
  ])('still prints the format that was asked for: %j %j', async (flags, env) => {
    const {code, out, err} = await run(freshHome(), [...pay, ...flags], {env})
    expect({code, err}).toEqual({code: 0, err: ''})
    expect(out).toMatch(/[\da-f]{8}-[\da-f]{4}-/)
  })

  it('prints each change of a write that is waited for with -o jsonl', async () => {
    const {code, out} = await run(freshHome(), [...pay, '--wait', '--timeout', '3s', '-o', 'jsonl'])
    expect([0, 8]).toContain(code)
    expect(json(out.split('\n')[0] ?? '')).toHaveProperty('transactionId')
  })

  it('prints the rows of a file, and the result of an operation of the sandbox, with --json', async () => {
    const home = freshHome()
    const args = ['payouts', 'run', writePayroll(home), '-p', 'sandbox', '--yes', '--quiet', '--json']
    const {code, out, err} = await run(home, args)
    expect({code, err, keys: Object.keys(json(out))}).toMatchObject({code: 0, err: '', keys: ['payouts']})
    const moved = await run(home, ['sandbox', 'clock', 'advance', '1h', '--json', '--quiet'])
    expect(json(moved.out)).toHaveProperty('now')
  })
})
