// Programs that svc starts, each of which writes down the environment that it got: none of svc's secrets is there.
import fs from 'node:fs'
import path from 'node:path'
import {afterEach, beforeEach, describe, expect, it, vi} from 'vitest'
import {openLink} from '../../../src/cli/browser.ts'
import {showInPager} from '../../../src/cli/output/pager.ts'
import {signText} from '../../../src/controls/signatures.ts'
import {runNotifyCommand} from '../../../src/notifications/notifier.ts'
import {runSecretCommand} from '../../../src/profiles/credentials.ts'
import {runOpenSsh} from '../../support/approvals.ts'
import {root, temporaryFolder} from '../../support/svc.ts'

const secrets = {
  SVC_API_KEY: 'hidden-api-key',
  SVC_ACCESS_TOKEN: 'hidden-access-token',
  SVC_WEBHOOK_SECRET: 'whsec_hidden-webhook',
  SVC_JOURNAL_PASSWORD_COMMAND: 'echo hidden-password-command',
  SVC_JOURNAL: 'postgres://svc:hidden-in-address@db.example.com/svc',
  PGPASSWORD: 'hidden-password',
  SVC_SOMETHING_SECRET: 'hidden-of-a-later-version',
}

// What programs may need, also if they call svc themselves.
const kept = {SVC_PROFILE: 'acme', SVC_CONFIG_DIR: '/config', SVC_BASE_URL: 'https://a.example'}

let folder: string
const getDump = () => path.join(folder, 'environment')

beforeEach(() => {
  folder = temporaryFolder()
  fs.writeFileSync(path.join(folder, 'xdg-open'), `#!/bin/sh\nenv > '${getDump()}'\n`, {mode: 0o755})
  const variables = {...secrets, ...kept, DISPLAY: ':0', TERM: 'xterm', PATH: `${folder}:${process.env['PATH']}`}
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value)
})

afterEach(() => {
  vi.unstubAllEnvs()
})

const dumping = () => `env > '${getDump()}'; cat > /dev/null`

const programs: Record<string, () => Promise<unknown>> = {
  'the notify command': () => runNotifyCommand(dumping(), '{}'),
  'the credential and password commands': () => runSecretCommand('The command', `env | tee '${getDump()}'`),
  'the pager': () => {
    vi.stubEnv('PAGER', dumping())
    return showInPager('text')
  },
  // What it starts to ask for a passphrase has the same environment.
  'ssh-keygen': () => {
    const [file, asking] = [path.join(folder, 'id'), path.join(folder, 'askpass')]
    runOpenSsh(['-q', '-t', 'ed25519', '-N', 'open sesame', '-f', file])
    fs.writeFileSync(asking, `#!/bin/sh\nenv > '${getDump()}'\necho 'open sesame'\n`, {mode: 0o755})
    vi.stubEnv('SSH_ASKPASS', asking)
    vi.stubEnv('SSH_ASKPASS_REQUIRE', 'force')
    const [type, text] = fs.readFileSync(`${file}.pub`, 'utf8').split(' ')
    const key = {publicKey: `${type} ${text}`, name: 'mine', file}
    return signText('text', {key, namespace: 'svc-test', isShown: false})
  },
  'the browser': () => openLink('https://example.com/'),
}

describe('the environment of what svc starts', () => {
  it.each(Object.keys(programs))('has no secret of svc for %s', async (name) => {
    await programs[name]?.()
    const given = fs.readFileSync(getDump(), 'utf8')
    expect(given).not.toContain('hidden')
    const lines = given.split('\n')
    for (const [variable, value] of Object.entries(kept)) expect(lines).toContain(`${variable}=${value}`)
  })

  // A program that is started anywhere else is looked at here first.
  it('is made by one function wherever a program is started', () => {
    const files = fs.globSync('src/**/*.ts', {cwd: root})
    const starting = files.filter((file) =>
      /\bspawn\w*\(|import\('open'\)/.test(fs.readFileSync(path.join(root, file), 'utf8')),
    )
    const own = new Set(['src/tour/play.ts'])
    const others = starting.filter((file) => !own.has(file))
    expect(others.length).toBeGreaterThan(3)
    const without = others.filter(
      (file) => !fs.readFileSync(path.join(root, file), 'utf8').includes('values/environment.ts'),
    )
    expect(without).toEqual([])
  })
})
