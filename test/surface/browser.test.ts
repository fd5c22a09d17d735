// How a page of svc itself is opened: from a private file that goes when the page is seen.
import fs from 'node:fs'
import path from 'node:path'
import {afterEach, describe, expect, it, vi} from 'vitest'
import {openLink} from '../../src/cli/browser.ts'
import {createBrowserLauncher} from '../support/browser-launcher.ts'
import {freshHome} from '../support/svc.ts'

const link = 'http://127.0.0.1:1/folder/enter/token'

// With a launcher that ends with this code.
async function open({code = 0, env = {}}: {code?: number; env?: Record<string, string>} = {}) {
  const launcher = createBrowserLauncher(freshHome(), {code})
  for (const [name, value] of Object.entries({...launcher.env, WAYLAND_DISPLAY: '', ...env})) vi.stubEnv(name, value)
  const {promise: isSeen, resolve: see} = Promise.withResolvers<void>()
  const problem = await openLink(link, isSeen)
  const file = launcher.readArguments().trim().replace('file://', '')
  return {launcher, problem, see, file}
}

afterEach(() => {
  vi.unstubAllEnvs()
})

describe.skipIf(process.platform !== 'linux')('a page of svc', () => {
  it('is opened from a private file, which goes when the page is seen', async () => {
    const {launcher, problem, see, file} = await open()
    expect(problem).toBeUndefined()
    expect([launcher.listOpened(), launcher.readModes()]).toEqual([[link], ['600 700']])
    expect(fs.existsSync(file)).toBe(true)
    see()
    await expect.poll(() => fs.existsSync(path.dirname(file))).toBe(false)
  })

  it.each([
    ['there is no display', {env: {DISPLAY: ''}}, 'there is no display here'],
    ['the browser fails', {code: 3}, 'the browser could not be started (code 3)'],
    ['the file cannot be written', {env: {TMPDIR: '/nonexistent'}}, 'the page that leads there could not be written'],
  ])('is not opened if %s, and leaves no file', async (_, options, reason) => {
    const {problem, file} = await open(options)
    expect(problem).toBe(reason)
    expect(file !== '' && fs.existsSync(file)).toBe(false)
  })
})
