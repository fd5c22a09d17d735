// Files that are not what they should be: inputs that block or never end, outputs that would replace something, and links in
// the places of files of svc.
import {execFileSync, spawn} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {checkReplaceable, replacePrivateFile} from '../../../src/storage/private-file.ts'
import {readRegularFile} from '../../../src/storage/read-regular-file.ts'
import {type Home, bin, freshHome, run, temporaryFolder} from '../../support/svc.ts'

const getMode = (file: string) => (fs.statSync(file).mode & 0o7777).toString(8)

function makePipe(home: Home, name: string): string {
  const pipe = path.join(home.folder, name)
  execFileSync('mkfifo', [pipe])
  return pipe
}

describe('an input', () => {
  const sandbox = ['-p', 'sandbox']

  it.each<[string, string[]]>([
    ['rules apply', ['rules', 'apply', ...sandbox, '-f']],
    ['customers create', ['customers', 'create', ...sandbox, '-f']],
    ['quotes create', ['quotes', 'create', ...sandbox, '-f']],
    ['payouts run', ['payouts', 'run', ...sandbox]],
    ['events verify', ['events', 'verify']],
  ])('of svc %s that is a pipe or a device is refused in one sentence', async (_, args) => {
    const home = freshHome()
    const env = {SVC_WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'}
    for (const file of [makePipe(home, 'pipe.yaml'), '/dev/zero']) {
      const {code, out, err} = await run(home, [...args, file], {env})
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toContain(`${file} is not a regular file`)
    }
  })

  it('that is too large is refused before it is read', () => {
    const file = path.join(temporaryFolder(), 'large.yaml')
    fs.writeFileSync(file, '')
    fs.truncateSync(file, 200 * 1024 * 1024)
    expect(() => readRegularFile(file)).toThrow('There is more in')
  })

  it('that never ends on standard input is refused', async () => {
    const home = freshHome()
    const endless = fs.openSync('/dev/zero', 'r')
    const child = spawn(process.execPath, [bin, 'rules', 'apply', '-p', 'sandbox', '-f', '-'], {
      cwd: home.folder,
      env: home.env,
      stdio: [endless, 'ignore', 'pipe'],
    })
    let err = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text))
    const code = await new Promise((resolve) => child.on('close', resolve))
    fs.closeSync(endless)
    expect(code).toBe(2)
    expect(err).toContain('There is more in standard input than an input can have')
  })

  it('that does not come is given up at SIGTERM', async () => {
    const home = freshHome()
    const child = spawn(process.execPath, [bin, 'rules', 'apply', '-p', 'sandbox', '-f', '-'], {
      cwd: home.folder,
      env: home.env,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve(signal ?? code)))
    const term = setInterval(() => child.kill('SIGTERM'), 500)
    expect([143, 'SIGTERM']).toContain(await ended)
    clearInterval(term)
  })
})

describe('an output', () => {
  it.each(['journal.sqlite', 'journal.sqlite-wal', 'sandbox.sqlite'])(
    'is never written over %s of svc, nor over a link to it',
    async (name) => {
      const home = freshHome()
      const state = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state')
      fs.mkdirSync(state, {recursive: true})
      fs.writeFileSync(path.join(state, name), 'precious')
      fs.writeFileSync(path.join(home.folder, 'payroll.csv'), 'key\n')
      fs.symlinkSync(path.join(state, name), path.join(home.folder, 'link.csv'))
      for (const result of [path.join(state, name), 'link.csv']) {
        const {code, err} = await run(home, ['payouts', 'run', 'payroll.csv', '-p', 'sandbox', '--result', result])
        expect({code, err}).toMatchObject({
          code: 2,
          err: expect.stringContaining('is a file that svc keeps itself') as string,
        })
        expect(fs.readFileSync(path.join(state, name), 'utf8')).toBe('precious')
      }
    },
  )

  it('may have a name that begins like that of the journal', async () => {
    const home = freshHome()
    home.env['SVC_JOURNAL'] = path.join(home.folder, 'pay')
    fs.writeFileSync(path.join(home.folder, 'payroll.csv'), 'key\n')
    const {err} = await run(home, ['payouts', 'run', 'payroll.csv', '-p', 'sandbox', '--result', 'payroll-result.csv'])
    expect(err).toContain('payroll.csv')
    expect(err).not.toContain('keeps itself')
  })

  it('replaces only a regular file', () => {
    const home = freshHome()
    const target = path.join(home.folder, 'target')
    const link = path.join(home.folder, 'link')
    fs.writeFileSync(target, 'precious', {mode: 0o644})
    fs.symlinkSync(target, link)
    for (const file of [link, '/dev/null', home.folder, makePipe(home, 'pipe')]) {
      expect(() => checkReplaceable(file)).toThrow('is not a regular file')
      expect(() => replacePrivateFile(file, 'x')).toThrow('is not a regular file')
    }
    fs.symlinkSync(target, `${home.folder}/new.${process.pid}.new`)
    replacePrivateFile(path.join(home.folder, 'new'), 'x')
    expect([fs.readFileSync(target, 'utf8'), getMode(target)]).toEqual(['precious', '644'])
  })
})

it('beside files of svc no link is followed', async () => {
  const home = freshHome()
  const folder = home.env['SVC_CONFIG_DIR'] ?? ''
  const target = path.join(home.folder, 'precious')
  fs.writeFileSync(target, '', {mode: 0o644})
  fs.mkdirSync(path.join(folder, 'state'), {recursive: true})
  for (const name of ['config.lock', 'state/journal.sqlite-wal']) fs.symlinkSync(target, path.join(folder, name))
  const used = await run(home, ['profiles', 'use', 'sandbox'])
  const listed = await run(home, ['journal', 'list', '-p', 'sandbox'])
  expect([used.code, listed.code]).toEqual([2, 2])
  expect([fs.readFileSync(target, 'utf8'), getMode(target)]).toEqual(['', '644'])
})
