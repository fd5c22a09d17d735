// Completion in a real PowerShell, if it is installed. It asks the built svc.
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
  ['svc cust', ['customers']],
  ['svc whoami -p ', ['acme', 'acme-live', 'sandbox']],
  ['svc customers list --output=js', ['--output=json', '--output=jsonl']],
  ['svc customers list --columns na', ['name']],
]

describe.skipIf(!hasProgram('pwsh'))('completion in PowerShell (skipped where pwsh is not installed)', () => {
  it('offers what svc answers', async () => {
    const home = createShellHome()
    fs.writeFileSync(path.join(home.folder, 'svc.ps1'), shells.powershell.script)
    const asks = cases.map(
      ([line]) =>
        `(TabExpansion2 '${line}' ${line.length}).CompletionMatches | ForEach-Object { $_.CompletionText }; '=='`,
    )
    const {stdout} = await runFile('pwsh', ['-NoProfile', '-Command', ['. ./svc.ps1', ...asks].join('\n')], {
      env: home.env,
      cwd: home.folder,
    })
    const answers = stdout.split('==\n').map((text) => text.split('\n').filter((line) => line !== ''))
    expect(answers.slice(0, -1)).toEqual(cases.map(([, answer]) => answer))
  })
})

describe('the script for PowerShell', () => {
  // Without the shell, this much: every bracket outside of text has its partner.
  it('closes every bracket that it opens', () => {
    const code = shells.powershell.script.replaceAll(/#.*$/gm, '').replaceAll(/'[^']*'|"(?:[^"`]|`.)*"/g, '')
    const partners: Readonly<Record<string, string>> = {')': '(', ']': '[', '}': '{'}
    const open: string[] = []
    for (const character of code) {
      if ('([{'.includes(character)) open.push(character)
      else if (Object.hasOwn(partners, character)) expect(open.pop()).toBe(partners[character])
    }
    expect(open).toEqual([])
  })
})
