// How svc ends: one line and the documented exit code for a mistake, quietly without a reader, cleanly when it is stopped.
import fs from 'node:fs'
import path from 'node:path'
import {Readable, Writable} from 'node:stream'
import {describe, expect, test} from 'vitest'
import {exitCodeMeanings} from '../../src/errors.ts'
import {kycFile} from '../support/customer-answers.ts'
import {runInProcess} from '../support/in-process.ts'
import {customer, reply, serve} from '../support/service.ts'
import {installCommands, runBash} from '../support/shell.ts'
import {type Home, freshHome, json, root, run} from '../support/svc.ts'
import {onPty} from '../support/terminal.ts'
import {answer} from '../support/wizard-keys.ts'

const mistakes: ReadonlyArray<readonly [what: string, args: readonly string[]]> = [
  ['an unexpected argument', ['customers', 'list', 'extra']],
  ['a flag without its value', ['customers', 'list', '--limit']],
  ['a bad number', ['customers', 'list', '--page-size', '101']],
  ['an unknown format', ['customers', 'list', '-o', 'xml']],
  ['flags that exclude each other', ['customers', 'list', '--all', '--limit', '3']],
  ['a flag given twice', ['customers', 'list', '--limit', '1', '--limit', '2']],
  ['an unknown command', ['customer', 'lst']],
  ['a command named like a property of every object', ['constructor']],
  ['an unknown help topic', ['help', 'toString']],
]

describe('A mistake on the command line', () => {
  test.each(mistakes)('such as %s is one line with code 2, of text or of JSON, and no output', async (_, args) => {
    const {code, out, err} = await run(freshHome(), args)
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toMatch(/^svc: [^\n]+[.!?]\n$/)
    expect(err).not.toMatch(/\bat .*:\d+|Error:/)
    expect(err).not.toContain('\u001B')
    const asJson = await run(freshHome(), [...args, '--json'])
    expect(asJson).toMatchObject({code: 2, out: '', err: expect.stringMatching(/^[^\n]+\n$/) as string})
    expect(json(asJson.err)).toMatchObject({error: 'BAD_USAGE', exitCode: 2})
    expect(json(asJson.err)['message']).toMatch(/^\S.*[.!?]$/)
  })

  test.each([
    ['-o json', ['-o', 'json'], {}],
    ['--output=json', ['--output=json'], {}],
    ['-ojsonl', ['-ojsonl'], {}],
    ['SVC_OUTPUT', [], {SVC_OUTPUT: 'json'}],
    ['SVC_JSON', [], {SVC_JSON: '1'}],
  ])('is also JSON with %s', async (_, more, env) => {
    const {err} = await run(freshHome(), ['customers', 'list', '--nope', ...more], {env})
    expect(json(err)).toMatchObject({exitCode: 2})
  })
})

describe('docs/exit-codes.md', () => {
  test('has every code', () => {
    const page = fs.readFileSync(path.join(root, 'docs/exit-codes.md'), 'utf8')
    const codes = [...page.matchAll(/^\| ([\d, ]+) \|/gm)].flatMap(([, list = '']) => list.split(', ').map(Number))
    expect(codes).toEqual(exitCodeMeanings.map(({code}) => code))
  })
})

// Runs a shell command line, such as one that closes the output of svc.
const shell = async (home: Home, line: string, env: Record<string, string> = {}) =>
  runBash(await installCommands({...home, env: {...home.env, ...env}}), line)

describe('A closed output', () => {
  test('by head ends a long list quietly, with code 0 and nothing on standard error', async () => {
    const home = freshHome()
    expect(await run(home, ['sandbox', 'seed', '--customers', '2000', '--quiet'])).toMatchObject({code: 0})
    for (const format of ['jsonl', 'csv', 'table', 'json']) {
      const line = `svc customers list -p sandbox --all -o ${format} | head -1; exit "\${PIPESTATUS[0]}"`
      const {code, out, err} = await shell(home, line)
      expect({format, code, err}).toEqual({format, code: 0, err: ''})
      expect(out.trimEnd().split('\n')).toHaveLength(1)
    }
  })

  test('before the first byte is not an error', async () => {
    const line = 'svc customers list -p sandbox | true; exit "${PIPESTATUS[0]}"'
    expect(await shell(freshHome(), line)).toEqual({code: 0, out: '', err: ''})
    expect(await shell(freshHome(), 'svc customers list -p sandbox >&-')).toMatchObject({code: 0, out: ''})
  })

  test('on standard error keeps the data and the exit code', async () => {
    const service = await serve(({query}, response) => {
      const page = Number(query.get('pageToken') ?? 1)
      reply(response, 200, {customers: [customer(page)], nextPageToken: page < 5 ? String(page + 1) : null})
    })
    const home = freshHome()
    const out = path.join(home.folder, 'out')
    const line = `svc customers list --all -o jsonl --verbose 2>&1 >'${out}' | true; exit "\${PIPESTATUS[0]}"`
    expect(await shell(home, line, service.env)).toMatchObject({code: 0})
    expect(fs.readFileSync(out, 'utf8').trimEnd().split('\n')).toHaveLength(5)
    const failing = 'svc customers get nope 2>&1 >/dev/null | true; exit "${PIPESTATUS[0]}"'
    expect(await shell(home, failing, service.env)).toMatchObject({code: 2})
  })

  test('and a full disk is reported in one line, never as a success', async () => {
    const home = freshHome()
    const {code, err} = await shell(home, 'svc profiles list > /dev/full')
    expect(code).toBe(1)
    expect(err).toMatch(/^svc: Standard output cannot be written \(ENOSPC\)[^\n]*\n$/)
    const asJson = await shell(home, 'svc profiles list --json > /dev/full')
    expect(json(asJson.err)).toMatchObject({error: 'OUTPUT_FAILED', exitCode: 1})
  })

  test('does not stop the sandbox that others use: it says so, goes on, and ends with code 1', async () => {
    const lines: string[] = []
    const stdout = new Writable({
      write(line: Buffer, _, done) {
        lines.push(line.toString())
        done(lines.length === 1 ? null : Object.assign(new Error('full'), {code: 'ENOSPC'}))
      },
    })
    let err = ''
    const stderr = new Writable({write: (text: Buffer, _, done) => done(void (err += text.toString()))})
    const home = freshHome()
    const args = ['sandbox', 'start', '-o', 'jsonl', '--port', '0']
    const ended = runInProcess({args, cwd: home.folder, env: home.env, stdin: Readable.from([]), stdout, stderr})
    await expect.poll(() => lines.length).toBe(1)
    const {url, apiKey} = json(lines[0] ?? '') as Record<string, string>
    const ask = async () => (await fetch(`${url}/customers`, {headers: {authorization: `Bearer ${apiKey}`}})).status
    expect(await ask()).toBe(200)
    await expect.poll(() => err).toContain('requests are not shown any more')
    expect(await ask()).toBe(200)
    process.emit('SIGTERM')
    expect(await ended).toBe(1)
    expect(err.match(/cannot be written/g)).toHaveLength(2)
    expect(json(err.split('\n')[1] ?? '')).toMatchObject({error: 'OUTPUT_FAILED'})
    expect(await shell(home, 'svc sandbox start --json --port 0 > /dev/full')).toMatchObject({code: 1})
  })
})

const hungService = () => serve(() => {})

describe('A stopped svc', () => {
  test('ends with 130 after Ctrl-C in a hung request, on a clean line, with the cursor visible', async () => {
    const service = await hungService()
    const screen = onPty(freshHome(), ['customers', 'list'], {env: service.env})
    while (service.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    screen.type('\u0003')
    expect(await screen.ended).toBe(130)
    expect(screen.raw().endsWith('\n')).toBe(true)
    expect(screen.raw().lastIndexOf('\u001B[?25h')).toBeGreaterThanOrEqual(screen.raw().lastIndexOf('\u001B[?25l'))
    expect(screen.text()).not.toMatch(/Error|\bat /)
  })

  test.each([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('ends after %s in a prompt with %i, on a clean line, with the cursor visible', async (signal, code) => {
    const home = freshHome()
    fs.writeFileSync(
      path.join(home.folder, 'start.yaml'),
      kycFile.slice(0, kycFile.indexOf('  address:')).replace(/^email: .*\n/m, ''),
    )
    const screen = onPty(home, ['customers', 'create', '-f', 'start.yaml', '-p', 'sandbox'])
    await answer(screen, 'Email address:', 'ada@example.com')
    await answer(screen, 'What applies to the customer?')
    // A list is drawn below the cursor.
    await screen.waitFor('Country')
    screen.type('united')
    await screen.waitFor('United States (US)')
    screen.kill(signal)
    expect(await screen.ended).toBe(code)
    expect(screen.raw().slice(-'\u001B[?25h\u001B[J\r\n'.length)).toBe('\u001B[?25h\u001B[J\r\n')
  })
})
