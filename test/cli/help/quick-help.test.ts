// Help that bin/run.js prints without loading the rest of svc: the same text, and nothing that main has to answer.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import {describe, expect, it} from 'vitest'
import {renderHelpPages} from '../../../scripts/help-pages.ts'
import {loadSurface} from '../../../scripts/surface.ts'
import {indexDescriptions, openDescriptions} from '../../../src/cli/help/help-source.ts'
import {renderQuickHelp} from '../../../src/cli/help/quick-help.ts'
import {bin, freshHome, run, spawnSvc, temporaryFolder} from '../../support/svc.ts'
import {onPty} from '../../support/terminal.ts'

const surface = await loadSurface()
const manifest = await surface.manifest()
const source = await surface.help()

const pipe = {}
const terminal = {isTTY: true, columns: 80}

describe('quick help', () => {
  it.each([
    [],
    ['--help'],
    ['help'],
    ['customers'],
    ['customers', '--help'],
    ['pay', '-h'],
    ['help', 'pay', '--all'],
    ['-p', 'sandbox', 'customers', 'list', '--help'],
    ['sandbox', 'webhooks', '--help'],
    ['help', 'exit-codes'],
    ['help', 'flags'],
  ])('is what svc prints: %s %s %s', async (...words) => {
    const {out} = await run(freshHome(), words)
    expect(await renderQuickHelp(words, pipe, source)).toBe(out)
  })

  it.each([
    ['a command that runs', ['customers', 'list']],
    ['a command that is a topic too', ['sandbox', 'start']],
    ['a flag behind the end of the flags', ['customers', 'list', '--', '--help']],
    ['an alias, or a word that nobody knows', ['nonsense', '--help']],
    ['an unknown topic', ['help', 'nonsense']],
    ['a page that another command opens', ['open', 'console', '--help']],
    ['an unknown word of a topic', ['customers', 'nonsense']],
  ])('leaves %s to main', async (_, words) => {
    expect(await renderQuickHelp(words, pipe, source)).toBeUndefined()
  })

  it('leaves svc alone in a terminal to the start page', async () => {
    expect(await renderQuickHelp([], terminal, source)).toBeUndefined()
    expect(await renderQuickHelp(['--help'], terminal, source)).toContain('EVERY DAY')
  })

  it('has the same description of each command in a file with all of them', () => {
    const {file, index} = indexDescriptions(manifest, surface.pjson)
    const stored = path.join(temporaryFolder(), 'commands.jsonl')
    fs.writeFileSync(stored, file)
    // The single executable has the content of the file in memory.
    for (const opened of [openDescriptions(stored, index), openDescriptions(Buffer.from(file), index)]) {
      expect(opened.commands.map(({id}) => opened.readCommand(id))).toEqual(Object.values(manifest.commands))
    }
  })
})

describe('the pages that the build renders', () => {
  it('are the help of every command and topic, but for one that main renders', async () => {
    const {text, index} = await renderHelpPages(source)
    const bytes = Buffer.from(text)
    const names = [...Object.keys(source.topics), ...source.commands.map(({id}) => id)]
    const all = new Set(['', ...names.map((name) => name.replaceAll(':', ' '))])
    expect([...all].filter((words) => !index[words])).toEqual(['open'])
    for (const [words, [offset, length]] of Object.entries(index)) {
      const argv = words === '' ? ['help'] : ['help', ...words.split(' ')]
      expect(bytes.toString('utf8', offset, offset + length)).toBe(await renderQuickHelp(argv, pipe, source))
    }
  })
})

describe('the built program', () => {
  it.each([
    ['customers list', '-h'],
    ['constructor', '--help'],
    ['help', '--help'],
  ])('leaves words that name no page to main: %s %s', async (...words) => {
    const home = freshHome()
    expect(await spawnSvc(home, words)).toEqual(await run(home, words))
  })

  it('prints help and the version in a pipe, in a terminal, and in colour if it is forced', async () => {
    const home = freshHome()
    const {out} = await run(home, ['pay', '--help'])
    expect(await spawnSvc(home, ['pay', '--help'])).toEqual({code: 0, out, err: ''})
    const forced = await spawnSvc(home, ['pay', '--help'], {env: {FORCE_COLOR: '1'}})
    expect(forced.out).toContain('\u001b[1mUSAGE\u001b[22m')
    const screen = onPty(home, ['pay', '--help'])
    expect(await screen.ended).toBe(0)
    expect(screen.raw()).toContain('\u001b[1mUSAGE\u001b[22m')
    expect(screen.text().replaceAll('\r', '')).toBe(out)
  })

  it.skipIf(!fs.existsSync('/dev/full'))('says that help cannot be written', async () => {
    const {env, folder} = freshHome()
    const shell = promisify(execFile)('sh', ['-c', `"$0" "$1" pay --help > /dev/full`, process.execPath, bin], {
      env,
      cwd: folder,
    })
    await expect(shell).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^svc: Standard output cannot be written \(ENOSPC\)/),
    })
  })

  it('ends quietly when nobody reads its help', async () => {
    const {env, folder} = freshHome()
    const {stderr} = await promisify(execFile)('sh', ['-c', `"$0" "$1" --help | true`, process.execPath, bin], {
      env,
      cwd: folder,
    })
    expect(stderr).toBe('')
  })
})
