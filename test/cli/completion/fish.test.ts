// Completion in a real fish, if it is installed. It asks the built svc.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {shells} from '../../../src/cli/completion/scripts.ts'
import {hasProgram} from '../../support/programs.ts'
import {createShellHome} from './shells.ts'

const runFile = promisify(execFile)

const cases: ReadonlyArray<readonly [line: string, answer: readonly string[]]> = [
  ['svc cust', ['customers\tCreate, verify and manage customers']],
  ['svc profiles u', ['use\tSwitch to another profile']],
  ['svc whoami -p ', ['acme', 'acme-live', 'sandbox']],
  ['svc customers list --output=js', ['--output=json', '--output=jsonl']],
  ['svc customers list --columns id,na', ['id,name']],
  ['svc transactions list --sort status:', ['status:asc', 'status:desc']],
  ['svc pay --file my', ['my body.json']],
  ['svc pay --file=my', ['--file=my body.json']],
  ['svc customers list --limit ', []],
]

describe.skipIf(!hasProgram('fish'))('completion in fish (skipped where fish is not installed)', () => {
  it('offers what svc answers, with descriptions', async () => {
    const home = createShellHome()
    fs.writeFileSync(path.join(home.folder, 'svc.fish'), shells.fish.script)
    const separator = '=='
    const asks = cases.map(([line]) => `complete --do-complete '${line}'; echo '${separator}'`)
    const {stdout, stderr} = await runFile('fish', ['-N', '-c', ['source ./svc.fish', ...asks].join('\n')], {
      env: {...home.env, LC_ALL: 'C.UTF-8'},
      cwd: home.folder,
    })
    expect(stderr).toBe('')
    const answers = stdout.split(`${separator}\n`).map((text) => text.split('\n').filter((line) => line !== ''))
    expect(answers.slice(0, -1)).toEqual(cases.map(([, answer]) => answer))
    expect(fs.existsSync(path.join(home.folder, 'pwned'))).toBe(false)
  })
})
