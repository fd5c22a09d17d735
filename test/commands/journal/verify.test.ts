// What an auditor does: verifies the journal, signs its head, has a payment proved, and verifies the proof elsewhere.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {inSandbox, payment} from '../../support/payments.ts'
import {seed} from '../../support/seed.ts'
import {type Home, freshHome, json, root, run, sharedHome, temporaryFolder} from '../../support/svc.ts'
import {onTerminal} from '../../support/terminal.ts'
import {createGenerator} from '../../payments/random-runs.ts'

let home: Home
let folder: string
const inFolder = (name: string) => path.join(folder, name)
const journalFile = () => inFolder('journal.sqlite')

const svc = (...args: string[]) => run(home, args, {env: {SVC_JOURNAL: journalFile()}})

const createKey = (name: string, comment = name): string => {
  const file = inFolder(name)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', file])
  return file
}

const writeSigners = (name: string, lines: Record<string, string>): string => {
  const text = Object.entries(lines).map(([who, key]) => `${who} ${fs.readFileSync(`${key}.pub`, 'utf8')}`)
  fs.writeFileSync(inFolder(name), text.join(''))
  return inFolder(name)
}

// Proofs hold on another machine: no journal, no profile, not even a home of its own.
const verifyElsewhere = (file: string, ...flags: string[]) => run(freshHome(), ['journal', 'verify', file, ...flags])

beforeAll(async () => {
  home = sharedHome()
  folder = fs.mkdtempSync(path.join(home.folder, 'audit-'))
  for (const [key, amount] of [
    ['rent', '12.50'],
    ['food', '13'],
  ] as const) {
    const {code, err} = await svc(...payment(key, amount), ...inSandbox, '--yes')
    if (code !== 0) throw new Error(err)
  }
  createKey('ann')
  createKey('eve')
  writeSigners('signers', {'ann@example.com': inFolder('ann')})
})

afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

describe('svc journal verify', () => {
  it('says that nothing was changed, with what it walked', async () => {
    const {code, out} = await svc('journal', 'verify', '--json')
    expect(code).toBe(0)
    const check = json(out)
    expect(check).toMatchObject({isIntact: true, payments: 2})
    expect(check['finding']).toBeUndefined()
    const screen = onTerminal(home, ['journal', 'verify'], {env: {SVC_JOURNAL: journalFile()}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/INTACT\s+yes/)
  })

  it('ends with 12 and names the first entry that was changed', async () => {
    const copy = inFolder('changed.sqlite')
    fs.copyFileSync(journalFile(), copy)
    const database = new DatabaseSync(copy)
    database.exec(`update history set detail = '{"quoteId":"other"}' where seq = 2`)
    database.close()
    const {code, out, err} = await run(home, ['journal', 'verify', '--json'], {env: {SVC_JOURNAL: copy}})
    expect(code).toBe(12)
    expect(json(out)).toMatchObject({
      isIntact: false,
      finding: {kind: 'changed', entry: {chain: 0, number: 2}, key: 'rent'},
    })
    expect(json(err)).toMatchObject({
      error: 'NOT_INTACT',
      message: expect.stringContaining('Entry 2 of the payment rent was changed'),
      exitCode: 12,
    })
  })

  it('finds with a signed head that the end was cut off, or that all was written anew', async () => {
    const head = inFolder('november.head')
    const signed = await svc(
      'journal',
      'head',
      '--signing-key',
      inFolder('ann'),
      '--out',
      head,
      '--why',
      'month end',
      '--json',
    )
    expect(signed).toMatchObject({code: 0})
    expect(json(signed.out)).toMatchObject({files: [head, `${head}.sig`], signedBy: expect.stringMatching(/^SHA256:/)})
    // OpenSSH alone can verify it as well.
    const signers = inFolder('signers')
    execFileSync(
      'ssh-keygen',
      ['-Y', 'verify', '-f', signers, '-I', 'ann@example.com', '-n', 'svc-journal', '-s', `${head}.sig`],
      {
        input: fs.readFileSync(head),
      },
    )
    const whole = await svc('journal', 'verify', '--head', head, '--signers', signers, '--json')
    expect(whole).toMatchObject({code: 0})
    expect(json(whole.out)).toMatchObject({head: {signature: 'good, by ann@example.com'}, signedHeads: 1})

    // Everything of the second payment is removed, and the end of the chain is set back: the chain alone cannot show it.
    const cut = inFolder('cut.sqlite')
    fs.copyFileSync(journalFile(), cut)
    const database = new DatabaseSync(cut)
    database.exec(`delete from payments where key = 'food'; delete from history where seq >= (select min(seq) from history where key = 'food');
      update chains set number = (select max(seq) from history), hash = (select hash from history order by seq desc limit 1)`)
    database.close()
    const env = {SVC_JOURNAL: cut}
    expect(await run(home, ['journal', 'verify'], {env})).toMatchObject({code: 0})
    const found = await run(home, ['journal', 'verify', '--head', head, '--json'], {env})
    expect(found.code).toBe(12)
    expect(json(found.out)).toMatchObject({finding: {kind: 'truncated'}})

    // Another journal with as many entries.
    const other = {env: {SVC_JOURNAL: inFolder('other.sqlite')}}
    for (const amount of ['7.25', '8']) {
      await run(home, [...payment(`other-${amount}`, amount), ...inSandbox, '--yes'], other)
    }
    const rewritten = await run(home, ['journal', 'verify', '--head', head, '--json'], other)
    expect(rewritten.code).toBe(12)
    expect(json(rewritten.out)).toMatchObject({finding: {kind: 'rewritten'}})

    // A head that somebody else signed, and one that was edited after it was signed.
    const forged = inFolder('forged.head')
    fs.copyFileSync(head, forged)
    execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'svc-journal', '-f', inFolder('eve'), forged])
    const byEve = await svc('journal', 'verify', '--head', forged, '--signers', signers)
    expect(byEve).toMatchObject({code: 12, err: expect.stringContaining('by nobody of the signers')})
    fs.copyFileSync(`${head}.sig`, `${forged}.sig`)
    fs.writeFileSync(forged, fs.readFileSync(head, 'utf8').replace(/^at .*$/m, 'at 2020-01-01T00:00:00.000Z'))
    expect(await svc('journal', 'verify', '--head', forged)).toMatchObject({
      code: 12,
      err: expect.stringContaining('is wrong'),
    })
  })

  it('refuses what it cannot verify', async () => {
    fs.writeFileSync(inFolder('text'), 'hello')
    expect(await svc('journal', 'verify', '--head', inFolder('text'))).toMatchObject({code: 2})
    expect(await svc('journal', 'verify', inFolder('none.json'))).toMatchObject({code: 2})
    expect(await svc('journal', 'verify', inFolder('text'))).toMatchObject({code: 12})
    expect(await run(home, ['journal', 'verify'], {env: {SVC_JOURNAL: inFolder('none.sqlite')}})).toMatchObject({
      code: 2,
      err: expect.stringContaining('There is no journal'),
    })
    expect(fs.existsSync(inFolder('none.sqlite'))).toBe(false)
  })
})

describe('svc journal prove', () => {
  it('names the customer and the accounts on a page, apart from what is proven, and nowhere else', async () => {
    const page = inFolder('named.html')
    const proved = await svc('journal', 'prove', 'rent', ...inSandbox, '--out', page)
    expect(proved).toMatchObject({code: 0})
    const payee = 'Zoë Ångström, External wallet M6esmM…WNS1'
    expect(proved.out).toContain(payee)
    const text = fs.readFileSync(page, 'utf8')
    expect(text).toContain(`<dd>${payee}<br />`)
    expect(text.replace(/\s+/g, ' ')).toContain('Neither the journal nor its signatures cover them.')
    const verified = await verifyElsewhere(page)
    expect(verified).toMatchObject({code: 0})
    expect(verified.out).toContain(`${payee} (not proven`)
    // Whoever changes a name changes the file.
    fs.writeFileSync(page, text.replaceAll('Zoë', 'Eve'))
    expect(await verifyElsewhere(page)).toMatchObject({code: 12})
    await svc('journal', 'prove', 'rent', ...inSandbox, '--out', inFolder('bare.html'), '--no-names')
    await svc('journal', 'prove', 'rent', ...inSandbox, '--out', inFolder('bare.json'))
    for (const file of ['bare.html', 'bare.json']) {
      expect(fs.readFileSync(inFolder(file), 'utf8')).not.toContain('Zoë')
      expect(await verifyElsewhere(inFolder(file))).toMatchObject({code: 0})
    }
    // The journal itself has no names.
    expect(fs.readFileSync(journalFile()).includes('Ångström')).toBe(false)
  })

  it('writes a page and JSON that hold elsewhere, with the signature of the head', async () => {
    await svc('journal', 'head', '--signing-key', inFolder('ann'))
    for (const name of ['rent.json', 'rent.html']) {
      const file = inFolder(name)
      const proved = await svc('journal', 'prove', 'rent', ...inSandbox, '--out', file, '--json')
      expect(proved).toMatchObject({code: 0})
      expect(json(proved.out)).toMatchObject({key: 'rent', state: 'CREATED', isSigned: true})
      const held = await verifyElsewhere(file, '--signers', inFolder('signers'), '--json')
      expect(held.code).toBe(0)
      expect(json(held.out)).toMatchObject({
        isIntact: true,
        key: 'rent',
        state: 'CREATED',
        amount: '12.50 USDC',
        head: {signature: 'good, by ann@example.com'},
      })
      expect(fs.statSync(file).mode & 0o077).toBe(0)
    }
    const stranger = writeSigners('strangers', {'eve@example.com': inFolder('eve')})
    expect(await verifyElsewhere(inFolder('rent.json'), '--signers', stranger)).toMatchObject({
      code: 12,
      err: expect.stringContaining('signed by nobody of the signers'),
    })
    const page = fs.readFileSync(inFolder('rent.html'), 'utf8')
    expect(page).toContain('x-idempotency-key: svc_')
    expect(page).toMatch(/by the service’s clock/)
    // What happened is told in words, and each entry is there to the byte behind them.
    const told = page.replaceAll(/<details[^]*?<\/details>/g, '').replaceAll(/<[^>]+>|\s+/g, ' ')
    const table = told.slice(told.indexOf('In words'), told.indexOf('Chain and signature')).replaceAll(/ +/g, ' ')
    expect(table).toMatch(
      /The service quoted a price .*, 12\.\d+ USDC to arrive\. .*asked for a price, and agreed \(200\)/,
    )
    expect(table).toMatch(/about to be sent .*The service made the transaction .*asked to pay, and agreed \(200\)/)
    expect(table).not.toMatch(/QUOTED|ARMED|[{}]/)
    expect([...page.matchAll(/<details class="exact">[^]*?<pre>\s*([A-Z]+)\n/g)].map(([, what]) => what)).toEqual(
      expect.arrayContaining(['QUOTED', 'ARMED', 'CREATED']),
    )
    // Nothing of the other payment, nothing from elsewhere, no script that runs.
    expect(page).not.toContain('food')
    expect(page).not.toMatch(/src=|href=|<script>|<script src/)
  })

  it(`is found to be changed whatever byte of it is (seed ${seed})`, async () => {
    const next = createGenerator(seed)
    const {checkProofText} = await import('../../../src/payments/audit/verify-proof.ts')
    const {version} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {version: string}
    for (const name of ['plain.json', 'plain.html']) {
      const file = inFolder(name)
      expect(await svc('journal', 'prove', 'rent', ...inSandbox, '--out', file)).toMatchObject({code: 0})
      const whole = fs.readFileSync(file)
      const isIntact = (bytes: Buffer) => checkProofText(name, bytes.toString(), {version}).check.isIntact
      expect(isIntact(whole)).toBe(true)
      const missed: string[] = []
      for (let at = 0; at < whole.length; at += 1 + Math.floor(next() * 9)) {
        const bytes = Buffer.from(whole)
        const before = bytes[at] ?? 0
        bytes[at] = (before + 1 + Math.floor(next() * 255)) % 256
        if (isIntact(bytes)) missed.push(`${name} at ${at}: ${before} → ${bytes[at]}`)
      }
      expect(missed).toEqual([])
    }
  })

  it('shows an edit of what it says even if its digests are computed anew', async () => {
    const {digestProof, formatProof} = await import('../../../src/payments/audit/proof.ts')
    const {renderProofPage} = await import('../../../src/payments/audit/proof-page.ts')
    type Proof = Parameters<typeof formatProof>[0]
    expect(await svc('journal', 'prove', 'rent', ...inSandbox, '--out', inFolder('own.json'))).toMatchObject({code: 0})
    const original = JSON.parse(fs.readFileSync(inFolder('own.json'), 'utf8')) as Proof
    const forge = async (edit: (proof: Proof) => void, write: (proof: Proof) => string = formatProof) => {
      const {digest: _, ...content} = structuredClone(original)
      edit(content as Proof)
      const file = inFolder('forged.json')
      fs.writeFileSync(file, write({...content, digest: digestProof(content)}))
      const {code, err} = await verifyElsewhere(file)
      return {code, err}
    }
    const links = (proof: Proof) => proof.chains[0]?.links ?? []
    const entry = (proof: Proof) => links(proof).find((link) => typeof link !== 'string')
    expect(await forge(() => {})).toMatchObject({code: 0})
    expect(await forge(({payment: paid}) => (paid.text = paid.text.replace('12.50', '99.50')))).toMatchObject({
      code: 12,
      err: expect.stringContaining('not the one that its last entry covers'),
    })
    expect(await forge(({payment: paid}) => (paid.createdAt += 1))).toMatchObject({code: 12})
    expect(await forge((proof) => (entry(proof)!.at += 1))).toMatchObject({
      code: 12,
      err: expect.stringContaining('do not lead to its head'),
    })
    expect(await forge((proof) => void links(proof).splice(1, 1))).toMatchObject({code: 12})
    expect(await forge((proof) => (proof.chains = []))).toMatchObject({code: 12})
    // An entry of the payment in the place where those of others are hidden.
    const {digestBody, digestContent, digestSubject} = await import('../../../src/payments/journal/chain.ts')
    const hide = (proof: Proof) => {
      const own = links(proof)
      const index = own.findIndex((link) => typeof link !== 'string' && link.what === 'ARMED')
      const hidden = own[index]
      if (hidden === undefined || typeof hidden === 'string') throw new Error('it has no such entry')
      const content = digestContent({...hidden, chain: 0}, digestBody(hidden))
      own[index] = `${digestSubject(hidden.serviceId, hidden.key)} ${content}`
    }
    expect(await forge(hide)).toMatchObject({code: 12, err: expect.stringContaining('hides an entry')})
    // Other words on the page than the proof in it has.
    const reword = (proof: Proof) => {
      const page = renderProofPage(proof)
      const end = page.lastIndexOf('<!-- ')
      const body = page.slice(0, end).replace('12.50', '99.50')
      const {hash} = process.getBuiltinModule('node:crypto')
      return `${body}<!-- SHA-256 of all above: ${hash('sha256', body)} -->\n`
    }
    expect(await forge(() => {}, reword)).toMatchObject({
      code: 12,
      err: expect.stringContaining('99.50 USDC</p>" where its data give "'),
    })
  })

  it('refuses a payment that is not there, a file of another kind, and a journal that was changed', async () => {
    expect(await svc('journal', 'prove', 'none', ...inSandbox, '--out', inFolder('x.json'))).toMatchObject({code: 5})
    expect(await svc('journal', 'prove', 'rent', ...inSandbox, '--out', inFolder('x.pdf'))).toMatchObject({code: 2})
    const copy = path.join(temporaryFolder(), 'journal.sqlite')
    fs.copyFileSync(journalFile(), copy)
    const database = new DatabaseSync(copy)
    database.exec(`update history set at = at - 1 where seq = 3`)
    database.close()
    const refused = await run(home, ['journal', 'prove', 'rent', ...inSandbox, '--out', inFolder('x.json')], {
      env: {SVC_JOURNAL: copy},
    })
    expect(refused).toMatchObject({code: 12, out: ''})
    expect(fs.existsSync(inFolder('x.json'))).toBe(false)
  })
})
