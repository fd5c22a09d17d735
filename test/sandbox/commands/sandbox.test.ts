// The commands of the sandbox beyond their operations: other processes, files of others, secrets on a screen, keys of payments, and
// sample documents.
import {execFileSync, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it, onTestFinished} from 'vitest'
import {findDocumentProblem} from '../../../src/customers/documents.ts'
import {inSandbox, payment} from '../../support/payments.ts'
import {type Home, bin, freshHome, json, run, spawnSvc} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {answer, choose} from '../../support/wizard-keys.ts'

const svc = (home: Home, line: string) => run(home, line.split(' '))

// What can be wrong with the files of a sandbox, and commands that need them.
const troubles: Array<[what: string, make: (file: string) => unknown, commands: string[]]> = [
  [
    'held by another process',
    (file) => {
      const other = new DatabaseSync(file)
      onTestFinished(() => other.close())
      other.exec('begin immediate')
    },
    ['clock advance 1h', 'reset', 'faults add --path /customers --kind reset'],
  ],
  [
    'with a file in place of its snapshots',
    (file) => fs.writeFileSync(`${file}.snapshots`, ''),
    ['snapshot list', 'snapshot save one'],
  ],
  [
    'with a folder in place of a snapshot that is written',
    (file) => fs.mkdirSync(`${file}.snapshots/one.sqlite.unfinished`, {recursive: true, mode: 0o700}),
    ['snapshot save one'],
  ],
]

// Whoever waits for a pipe takes no signal, so that the process is killed.
it.each(['list', 'restore pipe'])('a pipe among the snapshots is not waited for: snapshot %s', async (command) => {
  const home = freshHome()
  await svc(home, 'sandbox snapshot save one')
  const folder = path.join(String(home.env['SVC_CONFIG_DIR']), 'state', 'sandbox.sqlite.snapshots')
  execFileSync('mkfifo', [path.join(folder, 'pipe.sqlite')])
  const words = [bin, 'sandbox', 'snapshot', ...command.split(' ')]
  const {status, stdout, stderr} = spawnSync(process.execPath, words, {
    env: home.env,
    encoding: 'utf8',
    timeout: 30_000,
    killSignal: 'SIGKILL',
  })
  expect({status, told: stdout + stderr}).toEqual({
    status: command === 'list' ? 0 : 2,
    told: expect.stringContaining(command === 'list' ? 'one' : 'is not a saved sandbox') as string,
  })
})

it.each(troubles)('a command on a sandbox %s works, or names the file', async (_, make, commands) => {
  const home = freshHome()
  await svc(home, 'sandbox status')
  const file = path.join(String(home.env['SVC_CONFIG_DIR']), 'state', 'sandbox.sqlite')
  make(file)
  const ended = await Promise.all(commands.map(async (command) => spawnSvc(home, `sandbox ${command}`.split(' '))))
  expect(ended.filter(({code, err}) => code !== 0 && !(code === 2 && err.startsWith(`svc: ${file}`)))).toEqual([])
})

describe('svc sandbox', () => {
  it('carries out a request late in another process, which nothing was loaded in before', async () => {
    const home = freshHome()
    const spawn = (line: string) => spawnSvc(home, line.split(' '))
    const add = 'sandbox faults add --method POST --path /customers --kind reset --commit-after 90s --times 1'
    expect((await spawn(add)).code).toBe(0)
    const create = 'api POST /customers -p sandbox --set customerType=INDIVIDUAL --set email=late@example.com'
    expect((await spawn(create)).code).toBe(7)
    expect(await spawn('sandbox clock advance 2m --json')).toMatchObject({code: 0, err: ''})
    const {out} = await svc(home, 'customers get late@example.com -p sandbox --json')
    expect(json(out)).toMatchObject({email: 'late@example.com', customerStatus: 'CREATED'})
    expect(json((await svc(home, 'sandbox status --json')).out)['queue']).toMatchObject({failed: 0})
  })

  // The sandbox is as old as the first test of this run.
  it.each([
    {move: 'clock to-next', moved: String.raw`11 h \d+ min`, ranMin: 1},
    {move: 'clock until-idle', moved: String.raw`2 d 2\d h`, ranMin: 9},
    {move: 'clock advance 90m', moved: '1 h 30 min', ranMin: 0},
    {move: 'clock freeze', moved: '0 ms', ranMin: 0},
  ])('says how far it moved the clock, and how much ran on the way: $move', async ({move, moved, ranMin}) => {
    const home = freshHome()
    await svc(home, 'sandbox clock freeze')
    await svc(home, 'sandbox snapshot save before')
    const before = json((await svc(home, 'sandbox clock --json')).out)
    const after = json((await svc(home, `sandbox ${move} --json`)).out)
    expect(after['movedMs']).toBe(Date.parse(String(after['now'])) - Date.parse(String(before['now'])))
    expect(after['tasksRun']).toBeGreaterThanOrEqual(ranMin)
    await svc(home, 'sandbox snapshot restore before')
    const {out} = await svc(home, `sandbox ${move}`)
    expect(out).toMatch(new RegExp(`^MOVED +${moved}\nTASKS RUN +${String(after['tasksRun'])}$`, 'm'))
  })

  it('says how many faults it removed', async () => {
    const home = freshHome()
    for (const kind of ['reset', 'hang', 'lose']) await svc(home, `sandbox faults add --kind ${kind}`)
    const faults = json((await svc(home, 'sandbox faults list --json')).out)['faults'] as Array<{faultId: string}>
    expect((await svc(home, `sandbox faults clear ${faults[0]?.faultId}`)).err).toBe('Removed 1 fault.\n')
    expect((await svc(home, 'sandbox faults clear')).err).toBe('Removed 2 faults.\n')
    expect((await svc(home, 'sandbox faults clear')).err).toBe('No faults.\n')
  })

  it('sets the given behaviours, keeps the others, and resets them; a fault that is gone is not found', async () => {
    const home = freshHome()
    const set = async (flags: string) => json((await svc(home, `sandbox faults set ${flags} --json`)).out)
    const defaults = await set('--quote-use single')
    const first = {idempotency: 'forget-after-30m', listLagSeconds: 120, tier: 'builder'}
    const changed = {...defaults, ...first}
    expect(await set('--idempotency forget-after-30m --list-lag 2m --tier builder')).toEqual(changed)
    expect(await set('--page-token-life 5m --date-skew -90s --outcome-after 2m --transaction-outcome failed')).toEqual({
      ...changed,
      pageTokenSeconds: 300,
      dateSkewSeconds: -90,
      outcomeAfterSeconds: 120,
      transactionOutcome: 'failed',
    })
    expect(await set('--reset --quote-use many')).toEqual({...defaults, quoteUse: 'many'})
    const cleared = await svc(home, 'sandbox faults clear fault_none --json')
    expect([cleared.code, json(cleared.err)['error']]).toEqual([5, 'NOT_FOUND'])
  })

  it('settles a transaction by the key of its payment', async () => {
    const home = freshHome()
    await run(home, [...payment('rent', '10'), ...inSandbox, '--quiet'])
    const {code, out} = await svc(home, 'sandbox settle rent --outcome failed')
    expect({code, out}).toEqual({code: 0, out: expect.stringMatching(/STATUS +FAILED/)})
  })

  it('restores a snapshot that was copied from another sandbox, and passes over other files in the folder', async () => {
    const [home, other] = [freshHome(), freshHome()]
    const folder = ({env}: Home) => path.join(String(env['SVC_CONFIG_DIR']), 'state', 'sandbox.sqlite.snapshots')
    const create = 'api POST /customers -p sandbox --json --set customerType=INDIVIDUAL --set email=ada@example.com'
    const {customerId} = json((await svc(home, create)).out) as {customerId: string}
    for (const each of [home, other]) await svc(each, 'sandbox snapshot save first')
    fs.copyFileSync(path.join(folder(home), 'first.sqlite'), path.join(folder(other), 'far.sqlite'))
    fs.writeFileSync(path.join(folder(other), 'empty.sqlite'), '')
    fs.writeFileSync(path.join(folder(other), 'text.sqlite'), 'no database at all')
    fs.mkdirSync(path.join(folder(other), 'folder.sqlite'))
    fs.symlinkSync('gone.sqlite', path.join(folder(other), 'link.sqlite'))
    fs.symlinkSync('loop.sqlite', path.join(folder(other), 'loop.sqlite'))
    const listed = await svc(other, 'sandbox snapshot list --jq .snapshots[].name')
    expect(listed.out.trim().split('\n').toSorted()).toEqual(['far', 'first'])
    for (const name of ['empty', 'text', 'folder']) {
      const {code, err} = await svc(other, `sandbox snapshot restore ${name}`)
      expect({code, err}).toEqual({code: 2, err: expect.stringContaining(`"${name}" is not a saved sandbox`)})
    }
    expect((await svc(other, 'sandbox snapshot restore far')).code).toBe(0)
    expect((await svc(other, `customers get ${customerId} -p sandbox`)).code).toBe(0)
  })

  it('shows the secret of a webhook endpoint only when it is made and on request', async () => {
    const home = freshHome()
    const added = await svc(home, 'sandbox webhooks add http://localhost:3000/hook --json')
    const {endpointId, secret} = json(added.out) as {endpointId: string; secret: string}
    const show = async (...flags: string[]) => {
      const screen = onTerminal(home, ['sandbox', 'webhooks', 'list', ...flags], {cols: 120})
      expect(await screen.ended).toBe(0)
      return screen.text()
    }
    expect(await show()).toContain(endpointId)
    expect(await show()).not.toContain(secret)
    expect(await show('--show-secret')).toContain(secret)
    const masked = `whsec_…${secret.slice(-4)}`
    expect((await svc(home, 'sandbox webhooks list')).out).toContain(masked)
    const removed = await svc(home, `sandbox webhooks remove ${endpointId} --json`)
    expect(json(removed.out)).toMatchObject({endpointId, secret: masked})
  })
})

describe('a sample document', () => {
  it('is a picture that verification accepts, and is not written twice', async () => {
    const home = freshHome()
    const written = await svc(home, 'sandbox document --json')
    const file = path.join(home.folder, 'passport.png')
    expect([written.code, json(written.out)]).toEqual([0, {file: 'passport.png', bytes: fs.statSync(file).size}])
    expect(await findDocumentProblem(file)).toBeUndefined()
    const again = await svc(home, 'sandbox document')
    expect([again.code, again.out]).toEqual([2, ''])
    expect(again.err).toContain('There is already a file passport.png')
  })

  it('is drawn for the word sample in a correction on the sandbox, which verification accepts', async () => {
    const home = freshHome()
    const mateo = 'mateo.q@example.com'
    const screen = onTerminal(home, ['customers', 'fix', mateo, '-p', 'sandbox'])
    for (const question of ['How many documents?', 'Kind of document', 'Which document']) await answer(screen, question)
    await choose(screen, 'Country that issued it', 'Argentina', 'Argentina')
    await answer(screen, 'Number on the document', 'AAC123456')
    await answer(screen, 'Issued on', '2023-05-06')
    await answer(screen, 'Valid until', '2033-05-05')
    await answer(screen, 'Image of the front', 'sample')
    await answer(screen, 'Notes about the document')
    await answer(screen, 'What now?')
    expect(await screen.ended).toBe(0)
    await svc(home, 'sandbox clock until-idle')
    expect((await svc(home, `customers get ${mateo} -p sandbox --jq .customerStatus`)).out.trim()).toBe('ACTIVE')
  })
})
