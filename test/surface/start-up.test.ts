// A share of the bench: how much a command loads, which is most of the time that it takes to start. Counts are the same on every
// machine and under every load. The bounds are half as much again as it is today, so that a doubling is noticed.
import {spawn} from 'node:child_process'
import path from 'node:path'
import {expect, it} from 'vitest'
import {servePayments} from '../support/scripted-service.ts'
import {addSandbox, bin, freshHome, root} from '../support/svc.ts'

interface Loaded {
  files: number
  bytes: number
  builtins: number
}

const preload = path.join(root, 'test/support/count-loaded.cjs')
const descriptor = 3

function countLoaded(words: string, variables: Record<string, string> = {}): Promise<Loaded> {
  const home = freshHome()
  const args = words.split(' ')
  addSandbox(home, args, variables)
  const {NODE_V8_COVERAGE: _, ...env}: NodeJS.ProcessEnv = {...home.env, ...variables}
  const child = spawn(process.execPath, ['--require', preload, bin, ...args], {
    cwd: home.folder,
    env,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let [told, err] = ['', '']
  child.stdio[descriptor]?.on('data', (chunk: Buffer) => (told += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      if (code !== 0) return reject(new Error(`svc ${words} ended with ${code}: ${err}`))
      resolve(JSON.parse(told) as Loaded)
    })
  })
}

const route =
  '--customer 4738020a-a06d-4ef3-bc07-b5cacbf3446c --from acc_1 --from-currency USDC --from-method SOLANA --to acc_2 --to-currency USD --to-method ACH'

const kilobyte = 1024

it.each([
  {words: '--version', files: 1, kilobytes: 11, builtins: 2},
  {words: '--help', files: 6, kilobytes: 72, builtins: 2},
  {words: 'pay --help', files: 6, kilobytes: 72, builtins: 2},
  {words: 'customers list --json', files: 6, kilobytes: 290, builtins: 48},
  {words: 'customers list -p sandbox', files: 15, kilobytes: 560, builtins: 58},
  {words: `pay --key k1 --amount 10 --yes ${route}`, files: 18, kilobytes: 550, builtins: 81},
])('loads little for `svc $words`', async ({words, files, kilobytes, builtins}) => {
  const {env} = await servePayments()
  const loaded = await countLoaded(words, words.includes('-p sandbox') ? {} : env)
  expect(loaded.files).toBeLessThanOrEqual(files)
  expect(loaded.bytes / kilobyte).toBeLessThanOrEqual(kilobytes)
  expect(loaded.builtins).toBeLessThanOrEqual(builtins)
})
