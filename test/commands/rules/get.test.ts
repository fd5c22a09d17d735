// svc rules get: on a terminal, in a pipe, as JSON, and rejected.
import {describe, expect, it} from 'vitest'
import {onTerminal} from '../../support/terminal.ts'
import {bankAch, sandbox, wallet, withPayroll} from './payroll.ts'

const get = ['rules', 'get']

describe('svc rules get', () => {
  it('shows all of a rule on a terminal', async () => {
    const {home, rule} = await withPayroll(['--developer-fee', '1.50', '--developer-fee-type', 'USD'])
    const screen = onTerminal(home, [...get, rule.id, ...sandbox])
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(new RegExp(`^ID +${rule.id}\nNAME +Payroll\nTRIGGER +0 9 \\* \\* 1-5\n`))
    expect(screen.text()).toMatch(/AMOUNT +100.00 USDC\n/)
    expect(screen.text()).toMatch(new RegExp(`FROM +${wallet} SOLANA USDC\nTO +${bankAch} ACH USD\n`))
    expect(screen.text()).toMatch(/DEVELOPER FEE +1.50 USD\n/)
    expect(screen.text()).toMatch(/DOES +At 09:00, Monday through Friday \(0 9 \* \* 1-5, UTC\), moves/)
    expect(screen.text().match(/\w{3} \d{4}-\d\d-\d\d 09:00 UTC\n/g)).toHaveLength(5)
    expect(screen.text()).not.toContain('{')
  })
})
