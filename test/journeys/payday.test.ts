// A bash script with jq and set -euo pipefail does a day's work against the sandbox.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {runBash, installCommands} from '../support/shell.ts'
import {freshHome} from '../support/svc.ts'
import {writePerson} from '../support/person.ts'

it('a script creates a customer, submits KYC, quotes, transacts, waits, and keeps rules as code', async () => {
  const home = await installCommands(freshHome())
  writePerson(path.join(home.folder, 'person'))
  const script = fs.readFileSync(path.join(import.meta.dirname, 'payday.sh'), 'utf8')
  const {code, out, err} = await runBash(home, script)
  expect({code, out, err}).toEqual({
    code: 0,
    out: [
      'customer ACTIVE',
      'paid once',
      'transaction COMPLETED',
      'payday',
      'unchanged',
      'update done',
      '12.5',
      'deleted payroll',
      '0',
      'code 3',
      '',
    ].join('\n'),
    err: expect.any(String),
  })
})
