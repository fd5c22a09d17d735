// Folders that svc did not make, which a variable names: svc writes into them and never changes their mode.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {startSvc} from '../support/running.ts'
import {inSandbox, payment} from '../support/payments.ts'
import {type Home, freshHome, run} from '../support/svc.ts'

const readMode = (folder: string) => (fs.statSync(folder).mode & 0o7777).toString(8)

function createFolder({folder}: Home, mode: number): string {
  const created = path.join(folder, 'named')
  fs.mkdirSync(created)
  fs.chmodSync(created, mode)
  return created
}

// Every variable that names a folder, or a file in one, with commands that write there.
interface NamedFolder {
  commands: string[][]
  toValue?: (folder: string) => string
}

const variables: Record<string, NamedFolder> = {
  SVC_CONFIG_DIR: {
    commands: [
      ['profiles', 'use', 'sandbox'],
      ['profiles', 'set', 'sandbox', '--read-only', '--quiet'],
      ['customers', 'list', ...inSandbox],
    ],
  },
  SVC_STATE_DIR: {
    commands: [
      ['customers', 'list', ...inSandbox],
      [...payment('one', '5'), ...inSandbox],
    ],
  },
  SVC_SANDBOX_FILE: {
    toValue: (folder) => path.join(folder, 'sandbox.sqlite'),
    commands: [
      ['customers', 'list', ...inSandbox],
      ['sandbox', 'snapshot', 'list'],
    ],
  },
  SVC_JOURNAL: {
    toValue: (folder) => path.join(folder, 'journal.sqlite'),
    commands: [[...payment('one', '5'), ...inSandbox]],
  },
  XDG_CONFIG_HOME: {commands: [['profiles', 'use', 'sandbox']]},
  XDG_STATE_HOME: {commands: [['customers', 'list', ...inSandbox]]},
}

describe('a folder that svc did not make', () => {
  const modes = [0o755, 0o750, 0o711, 0o770]
  const cases = Object.entries(variables).flatMap(([name, named]) =>
    modes.map((mode) => ({name, mode, octal: mode.toString(8), ...named})),
  )

  it.each(cases)('keeps its mode $octal: $name', async ({name, mode, octal, commands, toValue = String}) => {
    const home = freshHome()
    const folder = createFolder(home, mode)
    const others = name.startsWith('XDG_') ? {SVC_CONFIG_DIR: undefined} : {}
    // Twice, since what is in it then is all svc's.
    for (const command of [...commands, ...commands]) {
      const {code, err} = await run(home, command, {env: {...others, [name]: toValue(folder)}})
      expect([command, code, err]).toEqual([command, 0, expect.anything()])
      expect(readMode(folder)).toBe(octal)
    }
    expect(fs.readdirSync(folder)).not.toEqual([])
  })

  it('keeps it while events arrive', async () => {
    const home = freshHome()
    const folder = createFolder(home, 0o755)
    const listener = startSvc(home, ['events', 'listen', '--port', '0', '--no-endpoint'], {SVC_STATE_DIR: folder})
    onTestFinished(() => listener.stop('SIGKILL'))
    await expect.poll(() => fs.readdirSync(folder), {timeout: 20_000}).toContain('events.sqlite')
    expect(readMode(folder)).toBe('755')
  })

  it.each(['SVC_CONFIG_DIR', 'SVC_STATE_DIR'])('is refused if everybody can write to it: %s', async (name) => {
    const home = freshHome()
    const folder = createFolder(home, 0o777)
    const command = name === 'SVC_CONFIG_DIR' ? ['profiles', 'use', 'sandbox'] : ['events', 'listen', '--port', '0']
    const started = startSvc(home, command, {[name]: folder})
    onTestFinished(() => started.stop('SIGTERM'))
    const {code, err} = await started.ended
    expect([code, err]).toEqual([2, expect.stringContaining(`Other users can write to the folder ${folder}`)])
    expect(readMode(folder)).toBe('777')
  })
})
