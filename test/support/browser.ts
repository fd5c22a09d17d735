// Chromium for the tests: found on this machine or installed, with a loud warning if neither is possible.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {type Browser, chromium} from 'playwright-core'
import {afterAll, beforeAll} from 'vitest'

// Chromium would load the list under its address bar in two more renderers for each page, which costs several times as much
// as a page of these tests. Of several lists Chromium takes the last one, so this one repeats Playwright's.
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const installLimitMs = 300_000
// How long Chromium may take to start, or a page to load or to show what is waited for. Only one that hangs reaches it.
const pageLimitMs = 240_000

const onPath = (name: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, name))
    .find((file) => fs.existsSync(file))

const findChromium = (): string | undefined =>
  process.env['CHROMIUM_PATH'] || names.map(onPath).find((file) => file !== undefined)

// Installs the distribution's package. Several test files may try at once, so each waits for the lock.
function installChromium(): string | undefined {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return undefined
  const wait = ['-o', `DPkg::Lock::Timeout=${installLimitMs / 1_000}`]
  try {
    for (const words of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
      execFileSync('apt-get', [...wait, ...words], {
        timeout: installLimitMs,
        stdio: 'ignore',
        env: {...process.env, DEBIAN_FRONTEND: 'noninteractive'},
      })
    }
  } catch {
    return undefined
  }
  return findChromium()
}

const executablePath = findChromium() ?? installChromium()

const missing =
  'NO CHROMIUM: the tests in a real browser are not run. Install chromium, or name one with CHROMIUM_PATH.'

// CI must not pass because tests were skipped.
if (!executablePath) {
  if (process.env['CI'] === 'true') throw new Error(missing)
  process.stderr.write(`\n${'!'.repeat(missing.length)}\n${missing}\n${'!'.repeat(missing.length)}\n\n`)
}

// For describe.runIf(hasChromium)(…).
export const hasChromium = executablePath !== undefined

// One browser per test file. Each test opens its own pages.
export function browserForAll(): () => Browser {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      timeout: pageLimitMs,
      // Chromium's own sandbox does not work as root, which CI often runs as.
      args: ['--no-sandbox', '--disable-gpu', `--disable-features=${disabledFeatures.join(',')}`],
    })
    browser.on('context', (context) => context.setDefaultTimeout(pageLimitMs))
  })
  afterAll(() => browser?.close())
  return () => {
    if (browser) return browser
    throw new Error('The browser is not there yet')
  }
}
