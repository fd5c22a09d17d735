// While svc waits for the reply to a payment, its package is replaced, or it cannot open files any more. It ends as it would otherwise.
import {execFileSync, spawn} from 'node:child_process'
import {once} from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {payment} from '../support/payments.ts'
import {type PaymentService, servePayments} from '../support/scripted-service.ts'
import {isInShare} from '../support/share.ts'
import {type Home, freshHome, json, root, run, temporaryFolder} from '../support/svc.ts'
import {createQuoteBody, seeded} from '../support/transactions.ts'

interface Stage {
  home: Home
  service: PaymentService
}

// Without a reply svc looks for the transaction until its time has run out.
const briefly = ['--timeout', '2s', '--yes']

async function createQuote({home, service: {env}}: Stage): Promise<string> {
  const input = JSON.stringify(createQuoteBody('1.00', 'wallet', 'externalWallet'))
  return String(json((await run(home, ['api', 'POST', '/quotes', '-f', '-'], {env, input})).out)['quoteId'])
}

const rows = `key,customer,from,from-currency,from-method,to,to-currency,to-method,amount
a,${seeded.customer},${seeded.wallet},USDC,SOLANA,${seeded.externalWallet},USDC,SOLANA,1.00
`

// The arguments of each command, once what it needs is there.
const commands: Record<string, (stage: Stage) => string[] | Promise<string[]>> = {
  pay: () => payment('a', '1.00'),
  'transactions create': async (stage) => ['transactions', 'create', '--quote', await createQuote(stage)],
  'payouts run': ({home}) => {
    fs.writeFileSync(path.join(home.folder, 'file.csv'), rows)
    return ['payouts', 'run', 'file.csv', '--result', 'result.csv']
  },
  'api POST /transactions': async (stage) => {
    const quote = `quoteId=${await createQuote(stage)}`
    return ['api', 'POST', '/transactions', '--set', quote, '--header', 'x-idempotency-key: a']
  },
  'journal settle': async ({home, service}) => {
    const lost = service.script({acts: 'never', reply: 'reset', times: Infinity})
    await run(home, [...payment('a', '1.00'), ...briefly], {env: service.env})
    lost.remove()
    return ['journal', 'settle']
  },
}

const damages: Record<string, (folder: string, pid: number) => void> = {
  'the package is replaced': (folder) => fs.renameSync(path.join(folder, 'dist'), path.join(folder, 'replaced')),
  'no file can be opened': (_, pid) => void execFileSync('prlimit', ['--pid', String(pid), '--nofile=3:3']),
}

async function play(command: string, damage: string, hasReply: boolean) {
  const service = await servePayments()
  Object.assign(service.env, {SVC_RESEND: 'yes'})
  const home = freshHome()
  const args = (await commands[command]?.({home, service})) ?? []
  const folder = temporaryFolder()
  for (const name of ['bin', 'dist', 'package.json'])
    fs.cpSync(path.join(root, name), path.join(folder, name), {recursive: true})
  let isDamaged = false
  service.intercept = ({method, path: at}, response) => {
    if (method !== 'POST' || at !== '/transactions') return false
    if (!isDamaged) damages[damage]?.(folder, child.pid ?? 0)
    isDamaged = true
    if (!hasReply) response.socket?.resetAndDestroy()
    return !hasReply
  }
  const env = {...home.env, ...service.env}
  const child = spawn(
    process.execPath,
    [path.join(folder, 'bin/run.js'), ...args, ...(hasReply ? ['--yes'] : briefly)],
    {
      cwd: home.folder,
      env,
    },
  )
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => (text += more))
  const [code] = (await once(child, 'close')) as [number]
  return {code, text, isDamaged, hasResult: fs.existsSync(path.join(home.folder, 'result.csv'))}
}

// A quarter in each run.
const cells = Object.keys(commands)
  .flatMap((command) =>
    Object.keys(damages).flatMap((damage) => [true, false].map((hasReply) => ({command, damage, hasReply}))),
  )
  .filter((_, index) => isInShare(index, 4))

describe.skipIf(process.platform !== 'linux')('a payment that was sent is told', () => {
  it.each(cells)('by $command if $damage, with a reply: $hasReply', async ({command, damage, hasReply}) => {
    const {code, text, isDamaged, hasResult} = await play(command, damage, hasReply)
    expect(isDamaged).toBe(true)
    expect(text).not.toMatch(/^ +at /m)
    expect(code, text).toBe(hasReply ? 0 : 7)
    if (command !== 'payouts run') return
    if (damage === 'the package is replaced') expect(hasResult).toBe(true)
    else expect(text).toContain('The file result.csv cannot be written (EMFILE)')
  })
})
