// Runs the script and the plan of docs/automation.md, exactly as they are on the page, with injected faults.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {addFault, listTransactions} from '../support/payments.ts'
import {runBash, installCommands} from '../support/shell.ts'
import {freshHome, json, root, run} from '../support/svc.ts'

const page = fs.readFileSync(path.join(root, 'docs/automation.md'), 'utf8')
const findBlock = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? ''

// Without the pauses of minutes, and with a shorter timeout for each attempt.
const script = findBlock('bash').replace('sleep "$pause"', ':').replace('--timeout 5m', '--timeout 1900ms')

describe('the script of docs/automation.md', () => {
  it('pays once, whatever happens to its attempts, and prints nothing', async () => {
    const home = await installCommands(freshHome())
    fs.writeFileSync(path.join(home.folder, 'plan.yaml'), findBlock('yaml'))
    const before = await listTransactions(home)
    await addFault(home, 'reset', '--times', '4', '--quiet')
    const wrapped = `export SVC_PROFILE=sandbox\n${script}`
    expect(script).toContain('svc pay -f plan.yaml')
    const first = await runBash(home, wrapped)
    expect({code: first.code, out: first.out}).toEqual({code: 0, out: ''})
    expect(await runBash(home, wrapped)).toEqual({code: 0, out: '', err: ''})
    expect(await listTransactions(home)).toHaveLength(before.length + 1)
    const {out} = await run(home, ['journal', 'list', '-p', 'sandbox', '--json'])
    const [payment] = json(out)['payments'] as Array<Record<string, unknown>>
    expect(payment).toMatchObject({state: 'CREATED', template: 'rent-{month}'})
  })

  it('stops at once if trying again cannot help', async () => {
    const home = await installCommands(freshHome())
    fs.writeFileSync(path.join(home.folder, 'plan.yaml'), findBlock('yaml').replace('maxFee: 1%', 'maxFee: 0'))
    const stopped = await runBash(home, `export SVC_PROFILE=sandbox\n${script}`)
    expect({code: stopped.code, out: stopped.out}).toEqual({code: 10, out: ''})
    expect(stopped.err.trimEnd().split('\n')).toHaveLength(1)
  })
})
