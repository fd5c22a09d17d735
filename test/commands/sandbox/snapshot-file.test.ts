// svc sandbox snapshot export and import: the file, another sandbox, standard input and output, a server, and what is rejected.
import {createHash} from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {serveTemporary} from '../../sandbox/http/serving.ts'
import {type Home, freshHome, json, run} from '../../support/svc.ts'
import {runBash, installCommands} from '../../support/shell.ts'
import {onTerminal} from '../../support/terminal.ts'

const customers = async (home: Home) => json((await run(home, ['sandbox', 'status', '--json'])).out)['customers']

const getSnapshotFolder = ({env}: Home) => path.join(String(env['SVC_CONFIG_DIR']), 'state', 'sandbox.sqlite.snapshots')

// A sandbox with three more customers, saved as "before" and exported.
async function exportOne(): Promise<{home: Home; file: string}> {
  const home = freshHome()
  const file = path.join(home.folder, 'before.snapshot')
  await run(home, ['sandbox', 'seed', '--customers', '3', '--quiet'])
  await run(home, ['sandbox', 'snapshot', 'save', 'before', '--quiet'])
  const {code, out} = await run(home, ['sandbox', 'snapshot', 'export', 'before', '--out', file, '--json'])
  expect(code).toBe(0)
  expect(json(out)).toEqual({name: 'before', file, bytes: fs.statSync(file).size})
  return {home, file}
}

const importInto = (home: Home, file: string, ...flags: string[]) =>
  run(home, ['sandbox', 'snapshot', 'import', file, ...flags])

function splitFile(file: string): {header: Record<string, unknown>; content: Buffer} {
  const bytes = fs.readFileSync(file)
  const end = bytes.indexOf('\n')
  return {header: json(bytes.subarray(0, end).toString()), content: bytes.subarray(end + 1)}
}

const joinFile = (header: object, content: Buffer) =>
  Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content])

const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex')

describe('svc sandbox snapshot export and import', () => {
  it('carry a snapshot to another sandbox, in a file that only its owner can read', async () => {
    const {home, file} = await exportOne()
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    const other = freshHome()
    const imported = await importInto(other, file, '--json')
    expect(json(imported.out)).toMatchObject({name: 'before', bytes: splitFile(file).content.length})
    expect(imported.err).toBe('`svc sandbox snapshot restore before` makes it the state of the sandbox.\n')
    expect(await customers(other)).not.toEqual(await customers(home))
    await run(other, ['sandbox', 'snapshot', 'restore', 'before', '--quiet'])
    expect(await customers(other)).toEqual(await customers(home))
    const [name] = fs.readdirSync(getSnapshotFolder(other))
    expect(name).toBe('before.sqlite')
    expect(fs.statSync(path.join(getSnapshotFolder(other), 'before.sqlite')).mode & 0o777).toBe(0o600)
  })

  it('use standard output and input, and never a terminal', async () => {
    const {home, file} = await exportOne()
    const shell = await installCommands(freshHome())
    fs.copyFileSync(file, path.join(shell.folder, 'in.snapshot'))
    const {code, out} = await runBash(
      shell,
      'svc sandbox snapshot import - --quiet < in.snapshot && svc sandbox snapshot export before > out.snapshot && cmp in.snapshot out.snapshot && echo same',
    )
    expect({code, out}).toEqual({code: 0, out: 'same\n'})
    const screen = onTerminal(home, ['sandbox', 'snapshot', 'export', 'before'])
    expect(await screen.ended).toBe(2)
    expect(screen.text()).toContain('--out')
    expect((await run(home, ['sandbox', 'snapshot', 'export', 'before', '--json'])).code).toBe(2)
  })

  it('work against a running server', async () => {
    const {home, file} = await exportOne()
    const server = await serveTemporary()
    const remote = (...args: string[]) =>
      run(home, ['sandbox', 'snapshot', ...args, '--url', server.url, '--json'], {
        env: {SVC_SANDBOX_CONTROL_TOKEN: server.control.controlToken},
      })
    const imported = await remote('import', file, '--name', 'there')
    expect(json(imported.out)).toMatchObject({name: 'there'})
    const back = path.join(home.folder, 'back.snapshot')
    expect((await remote('export', 'there', '--out', back)).code).toBe(0)
    expect(splitFile(back).header).toEqual({...splitFile(file).header, name: 'there'})
    expect(splitFile(back).content.equals(splitFile(file).content)).toBe(true)
  })

  it('reject a name that exists unless it is replaced, one that is unknown, and a file that exists', async () => {
    const {home, file} = await exportOne()
    expect(await importInto(home, file)).toMatchObject({code: 2, err: expect.stringContaining('"before"')})
    expect(await importInto(home, file, '--replace', '--quiet')).toEqual({code: 0, out: '', err: ''})
    expect(await importInto(home, file, '--name', '../x')).toMatchObject({code: 2})
    expect(await importInto(home, 'nowhere')).toMatchObject({code: 2, err: expect.stringContaining('ENOENT')})
    expect(await importInto(home, home.folder)).toMatchObject({code: 2})
    const existing = await run(home, ['sandbox', 'snapshot', 'export', 'before', '--out', file])
    expect(existing).toMatchObject({code: 2, err: expect.stringContaining('already a file')})
    const unknown = path.join(home.folder, 'unknown')
    expect((await run(home, ['sandbox', 'snapshot', 'export', 'none', '--out', unknown])).code).toBe(5)
    expect((await run(home, ['sandbox', 'snapshot', 'export', 'before', '--out', 'no/such'])).code).toBe(2)
    expect(fs.readdirSync(home.folder).filter((name) => /unknown|unfinished/.test(name))).toEqual([])
  })

  it('reject a file that is damaged, from another version or no snapshot, and leave nothing of it', async () => {
    const {file} = await exportOne()
    const {header, content} = splitFile(file)
    const flipped = Buffer.from(content)
    flipped[content.length - 1] = (flipped[content.length - 1] ?? 0) ^ 1
    const foreign = Buffer.from('no database at all')
    const damaged = 'The snapshot is damaged'
    const cases: ReadonlyArray<readonly [Buffer, string]> = [
      [joinFile(header, flipped), damaged],
      [joinFile(header, content.subarray(0, -1)), damaged],
      [joinFile(header, Buffer.concat([content, Buffer.from('x')])), damaged],
      [joinFile({...header, bytes: foreign.length, sha256: digest(foreign)}, foreign), damaged],
      [joinFile({...header, schema: 1}, content), 'from another version of svc (format 1, schema 1; '],
      [joinFile({...header, version: 2}, content), 'from another version of svc (format 2, '],
      [joinFile({...header, format: 'tar'}, content), 'not a snapshot'],
      [joinFile({...header, bytes: '5'}, content), 'not a snapshot'],
      [content, 'not a snapshot'],
      [Buffer.from(''), 'not a snapshot'],
      [Buffer.alloc(100_000, 'x'), 'not a snapshot'],
      [Buffer.from('null\n'), 'not a snapshot'],
    ]
    const home = freshHome()
    const copy = path.join(home.folder, 'copy')
    for (const [bytes, message] of cases) {
      fs.writeFileSync(copy, bytes)
      const {code, out, err} = await importInto(home, copy)
      expect({code, out}).toEqual({code: 2, out: ''})
      expect(err).toContain(message)
      expect(err.trimEnd().split('\n')).toHaveLength(1)
    }
    expect(fs.existsSync(getSnapshotFolder(home)) ? fs.readdirSync(getSnapshotFolder(home)) : []).toEqual([])
  })
})
