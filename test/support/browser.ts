// Chromium for the tests: found on this machine or installed, with a loud warning if neither is possible.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
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
  // A process for a page that may never be opened.
  'SpareRendererForSitePerProcess',
]

const flags = [
  // Chromium's own sandbox does not work as root, which CI often runs as.
  '--no-sandbox',
  '--disable-gpu',
  `--disable-features=${disabledFeatures.join(',')}`,
]

// To look for what it could fill in, Chromium examines every field of a form, which takes longer than to show the page.
const preferences = {
  autofill: {enabled: false, profile_enabled: false, credit_card_enabled: false},
  credentials_enable_service: false,
}

// The first is Chromium without its windows, which takes about half of the time.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
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

// The distribution's packages. Some have only the second.
const packages = ['chromium-headless-shell', 'chromium']

// Installs the first package that there is. Several test files may try at once, so each waits for the lock.
function installChromium(): string | undefined {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return undefined
  const wait = ['-o', `DPkg::Lock::Timeout=${installLimitMs / 1_000}`]
  const runApt = (...words: string[]) => {
    const env = {...process.env, DEBIAN_FRONTEND: 'noninteractive'}
    return spawnSync('apt-get', [...wait, ...words], {timeout: installLimitMs, stdio: 'ignore', env}).status === 0
  }
  if (runApt('update')) packages.some((name) => runApt('install', '-y', '--no-install-recommends', name))
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

// A program that starts Chromium with the preferences: Playwright cannot set them in the new profile that it creates.
function writeLauncher(folder: string): string {
  const file = path.join(folder, 'chromium')
  fs.writeFileSync(path.join(folder, 'preferences.json'), JSON.stringify(preferences))
  const lines = [
    '#!/bin/sh',
    'for word; do case $word in --user-data-dir=*) profile=${word#*=} ;; esac; done',
    `mkdir -p "$profile/Default" && cp "${folder}/preferences.json" "$profile/Default/Preferences"`,
    `exec "${executablePath}" "$@"`,
  ]
  fs.writeFileSync(file, `${lines.join('\n')}\n`, {mode: 0o700})
  return file
}

// One browser per test file. Each test opens its own pages.
export function browserForAll(): () => Browser {
  let browser: Browser | undefined
  let folder = ''
  beforeAll(async () => {
    if (!hasChromium) return
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-chromium-'))
    browser = await chromium.launch({executablePath: writeLauncher(folder), timeout: pageLimitMs, args: flags})
    browser.on('context', (context) => context.setDefaultTimeout(pageLimitMs))
  })
  afterAll(async () => {
    await browser?.close()
    fs.rmSync(folder, {recursive: true, force: true})
  })
  return () => {
    if (browser) return browser
    throw new Error('The browser is not there yet')
  }
}
