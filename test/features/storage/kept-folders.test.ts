// Folders that svc did not make, which a variable names: svc writes into them and never changes their mode.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {startSvc} from '../../support/running.ts'
import {inSandbox, payment} from '../../support/payments.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'

const readMode = (folder: string) => (fs.statSync(folder).mode & 0o7777).toString(8)

function createFolder({folder}: Home, mode: number): string {
  const created = path.join(folder, 'named')
  fs.mkdirSync(created)
  fs.chmodSync(created, mode)
  return created
}

// Every variable that names a folder, or a file in one, with commands that write there.
const list = ['customers', 'list', ...inSandbox]
const pay = [...payment('one', '5'), ...inSandbox]
const variables: Record<string, {commands: string[][]; file?: string}> = {
  SVC_CONFIG_DIR: {commands: [['profiles', 'use', 'sandbox'], ['profiles', 'set', 'sandbox', '--read-only'], list]},
  SVC_STATE_DIR: {commands: [list, pay]},
  SVC_SANDBOX_FILE: {commands: [list, ['sandbox', 'snapshot', 'list']], file: 'sandbox.sqlite'},
  SVC_JOURNAL: {commands: [pay], file: 'journal.sqlite'},
  XDG_CONFIG_HOME: {commands: [['profiles', 'use', 'sandbox']]},
  XDG_STATE_HOME: {commands: [list]},
}

describe('a folder that svc did not make', () => {
  it.each(Object.entries(variables))('keeps its mode: %s', async (name, {commands, file = ''}) => {
    for (const mode of [0o755, 0o711]) {
      const home = freshHome()
      const folder = createFolder(home, mode)
      const env = {...(name.startsWith('XDG_') && {SVC_CONFIG_DIR: undefined}), [name]: path.join(folder, file)}
      // Twice, since what is in it then is all svc's.
      for (const command of [...commands, ...commands]) {
        const {code, err} = await run(home, command, {env})
        expect([command, code, err]).toEqual([command, 0, expect.anything()])
        expect(readMode(folder)).toBe(mode.toString(8))
      }
      expect(fs.readdirSync(folder)).not.toEqual([])
    }
  })

  it('keeps it while events arrive', async () => {
    const home = freshHome()
    const folder = createFolder(home, 0o755)
    const listener = startSvc(home, ['events', 'listen', '--port', '0', '--no-endpoint'], {SVC_STATE_DIR: folder})
    onTestFinished(() => listener.stop('SIGKILL'))
    await expect.poll(() => fs.readdirSync(folder)).toContain('events.sqlite')
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
