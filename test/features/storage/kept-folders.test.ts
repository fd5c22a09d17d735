// Folders that svc did not make, which a variable names: svc writes into them and never changes their mode.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it, onTestFinished} from 'vitest'
import {closedAddress, environmentFor} from '../../client/raw-service.ts'
import {startSvc} from '../../support/running.ts'
import {inSandbox, payment} from '../../support/payments.ts'
import {reply, serve} from '../../support/service.ts'
import {type Home, freshHome, run} from '../../support/svc.ts'
import {login} from '../profiles/logins.ts'

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

  it.each(Object.entries(variables))(
    'is refused if everybody can write to it: %s',
    async (name, {commands, file = ''}) => {
      for (const mode of [0o777, 0o757, 0o1777]) {
        const home = freshHome()
        const folder = createFolder(home, mode)
        const env = {...(name.startsWith('XDG_') && {SVC_CONFIG_DIR: undefined}), [name]: path.join(folder, file)}
        // Of the XDG variables svc makes a private folder in what they name.
        const opened = name.startsWith('XDG_') ? path.join(folder, 'svc') : folder
        fs.mkdirSync(opened, {recursive: true})
        fs.chmodSync(opened, mode)
        // Writes are also refused with a credential from the environment, for which svc reads no
        // settings.
        const payLive = [...payment('one', '5'), '--yes']
        const createLive = ['customers', 'create', '--type', 'INDIVIDUAL', '--email', 'ada@example.com']
        const live = ['SVC_SANDBOX_FILE', 'XDG_CONFIG_HOME'].includes(name)
          ? []
          : name === 'SVC_JOURNAL'
            ? [payLive]
            : [payLive, createLive]
        for (const [command, more] of [
          ...commands.map((each) => [each, {}] as const),
          ...live.map((each) => [each, environmentFor(closedAddress)] as const),
        ]) {
          const {code, out, err} = await run(home, command, {env: {...more, ...env}})
          const words = expect.stringContaining(`Other users can write to the folder ${opened}`) as string
          expect({mode, command, code, out, err}).toMatchObject({code: 2, out: '', err: words})
        }
        expect({mode: readMode(opened), created: fs.readdirSync(opened)}).toEqual({mode: mode.toString(8), created: []})
      }
    },
  )

  it('is refused by a listener if everybody can write to it', async () => {
    const home = freshHome()
    const folder = createFolder(home, 0o777)
    const started = startSvc(home, ['events', 'listen', '--port', '0'], {
      SVC_EVENTS: path.join(folder, 'events.sqlite'),
    })
    onTestFinished(() => started.stop('SIGTERM'))
    const {code, err} = await started.ended
    expect([code, err]).toEqual([2, expect.stringContaining(`Other users can write to the folder ${folder}`)])
  })
})

describe('a link in place of', () => {
  const files: Record<string, string[]> = {SVC_JOURNAL: pay, SVC_SANDBOX_FILE: list}

  const ways = Object.entries(files).flatMap(([name, command]) => [
    {name, command, way: 'to it'},
    {name, command, way: 'over another link'},
  ])

  it.each(ways)(
    'the file that $name names is refused in front of an open folder: $way',
    async ({name, command, way}) => {
      const home = freshHome()
      const folder = createFolder(home, 0o755)
      const [target, link] = [path.join(folder, 'target.sqlite'), path.join(home.folder, 'link.sqlite')]
      const between = way === 'to it' ? target : path.join(folder, 'between.sqlite')
      const file = way === 'to it' ? target : path.join(home.folder, 'target.sqlite')
      expect(await run(home, command, {env: {[name]: file}})).toMatchObject({code: 0})
      if (between !== file) fs.symlinkSync('../target.sqlite', between)
      fs.symlinkSync(between, link)
      expect(await run(home, command, {env: {[name]: link}})).toMatchObject({code: 0})
      fs.chmodSync(folder, 0o777)
      const {code, err} = await run(home, command, {env: {[name]: link}})
      expect([code, err]).toEqual([2, expect.stringContaining(`Other users can write to the folder ${folder}`)])
    },
  )

  it.each(['config.json', 'credentials.json'])('%s is refused in front of an open folder', async (name) => {
    const home = freshHome()
    const folder = createFolder(home, 0o755)
    const {url} = await serve((_, response) => reply(response, 200, {customers: [], nextPageToken: ''}))
    expect(await login(home, 'acme', url)).toMatchObject({code: 0})
    const [target, link] = [path.join(folder, name), path.join(home.folder, 'config', name)]
    fs.renameSync(link, target)
    fs.symlinkSync(target, link)
    expect(await run(home, ['customers', 'list', '-p', 'acme'])).toMatchObject({code: 0})
    fs.chmodSync(folder, 0o777)
    const {code, err} = await run(home, ['customers', 'list', '-p', 'acme'])
    expect([code, err]).toEqual([2, expect.stringContaining(`Other users can write to the folder ${folder}`)])
  })

  const missing = Object.entries(files).flatMap(([name, command]) => [
    {name, command, target: 'its target'},
    {name, command, target: 'that of its folder'},
  ])

  // On every run, since nothing is created that would change what the next one finds.
  it.each(missing)('the file that $name names is refused if $target is missing', async ({name, command, target}) => {
    const home = freshHome()
    const folder = createFolder(home, 0o755)
    const link = path.join(home.folder, 'link')
    fs.symlinkSync(path.join(folder, 'target'), link)
    const file = target === 'its target' ? link : path.join(link, 'file.sqlite')
    const commands = [command, command, ...(name === 'SVC_JOURNAL' ? [['journal', 'list', ...inSandbox]] : [])]
    for (const args of commands) {
      const {code, err} = await run(home, args, {env: {[name]: file}})
      expect([code, err]).toEqual([
        2,
        expect.stringMatching(/is (in .*, )?a link to a (file|folder) that does not exist/),
      ])
      expect(err).toContain(file)
      expect(fs.readdirSync(folder)).toEqual([])
    }
  })
})
