// How a page of svc itself is opened: from a private file, and with its link printed if no browser shows it.
import fs from 'node:fs'
import path from 'node:path'
import {afterEach, describe, expect, it, vi} from 'vitest'
import {openOwnPage} from '../../src/cli/browser.ts'
import {createBrowserLauncher} from '../support/browser-launcher.ts'
import {freshHome} from '../support/svc.ts'

const link = 'http://127.0.0.1:1/folder/enter/token'

// With a launcher that ends with this code, and timers that the test moves.
async function open({code = 0, env = {}}: {code?: number; env?: Record<string, string>} = {}) {
  const launcher = createBrowserLauncher(freshHome(), code)
  for (const [name, value] of Object.entries({...launcher.env, WAYLAND_DISPLAY: '', ...env})) vi.stubEnv(name, value)
  vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']})
  const {promise: isSeen, resolve: see} = Promise.withResolvers<void>()
  const announced: string[] = []
  const problem = await openOwnPage({link, isSeen, announce: (each) => announced.push(each)})
  const file = launcher.readArguments().trim().replace('file://', '')
  return {launcher, announced, problem, see, file}
}

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

describe.skipIf(process.platform !== 'linux')('a page of svc', () => {
  it('is opened from a private file, which goes when the page is seen, and then its link is not printed', async () => {
    const {launcher, announced, problem, see, file} = await open()
    expect(problem).toBeUndefined()
    expect([launcher.listOpened(), launcher.readModes()]).toEqual([[link], ['600 700']])
    expect(fs.existsSync(file)).toBe(true)
    see()
    await expect.poll(() => fs.existsSync(path.dirname(file))).toBe(false)
    vi.advanceTimersByTime(60_000)
    expect(announced).toEqual([])
  })

  it('has its link printed if no browser shows it in 15 seconds', async () => {
    const {announced, see} = await open()
    vi.advanceTimersByTime(14_999)
    expect(announced).toEqual([])
    vi.advanceTimersByTime(1)
    expect(announced).toEqual([link])
    see()
  })

  it.each([
    ['there is no display', {env: {DISPLAY: ''}}, 'there is no display here'],
    ['the browser fails', {code: 3}, 'the browser could not be started (code 3)'],
    ['the file cannot be written', {env: {TMPDIR: '/nonexistent'}}, 'the page that leads there could not be written'],
  ])('has its link printed at once if %s', async (_, options, reason) => {
    const {announced, problem, file} = await open(options)
    expect([announced, problem]).toEqual([[link], reason])
    expect(file !== '' && fs.existsSync(file)).toBe(false)
  })
})
