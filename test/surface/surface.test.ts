// Every command as people and scripts meet it: on a terminal of 80 columns, in a pipe, with --json, with a wrong flag, and without what
// it needs. The words stand in the snapshot, which is reviewed as a diff.
import fs from 'node:fs'
import path from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import manifest from '../../oclif.manifest.json' with {type: 'json'}
import {copySeededSandbox} from '../support/seeded-sandbox.ts'
import {type Home, freshHome, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'
import {commands} from './commands.ts'

const frozenAt = new Date('2026-11-02T09:00:00Z')

// A home whose sandbox gives the same replies each time: its clock stands still, and its ids follow from a seed.
function openHome(): Home {
  const home = freshHome()
  const file = path.join(home.env['SVC_CONFIG_DIR'] ?? '', 'state', 'sandbox.sqlite')
  fs.mkdirSync(path.dirname(file), {recursive: true, mode: 0o700})
  copySeededSandbox(file, frozenAt)
  const database = new DatabaseSync(file)
  database.prepare('update sandbox set seed = ?').run('surface')
  database.close()
  return home
}

const [headMax, tailMax] = [3, 2]

// Without what differs from run to run: times of this machine, secrets and ports. Long output is cut.
function normalize(text: string, {folder}: Home): string {
  const lines = text
    .replaceAll(folder, 'HOME')
    .replaceAll(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?/g, (time) => time.replaceAll(/\d/g, '0'))
    .replaceAll(/(?<=UTC, for )\d+:\d\d/g, '0:00')
    .replaceAll(/(?<=Node )\d+\.\d+\.\d+/g, 'VERSION')
    .replaceAll(/(?<=OFFSET +)-?\d.*/g, 'N')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replaceAll(/\b(?:eyJ|svc_|whsec_)[\w./+=-]{16,}|(?<=\/)[\w-]{32}(?=\/|$)|(?<=form_)[\w.]+/gm, 'SECRET')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd())
  if (lines.length <= headMax + tailMax) return lines.join('\n')
  return [...lines.slice(0, headMax), `(${lines.length} lines)`, ...lines.slice(-tailMax)].join('\n')
}

// The fields of an object without their values. Of several lines, those of the first.
function listFields(text: string): string {
  const isObject = text.startsWith('{')
  const isWhole = isObject && text.trimEnd().endsWith('\n}')
  return isObject ? Object.keys(JSON.parse(isWhole ? text : (text.split('\n')[0] ?? '')) as object).join(', ') : '-'
}

describe('every command', () => {
  it('of the table exists', () => {
    expect(Object.keys(commands).toSorted()).toEqual(Object.keys(manifest.commands).toSorted())
  })

  it.each(Object.entries(commands))('svc %s', async (id, {args = [], code = 0, cols = 80, isLong = false}) => {
    const command = id.split(':')
    const pipe = async (...words: string[]) => {
      const home = openHome()
      const {out, err, code: ended} = await run(home, words)
      return {code: ended, out, err, text: normalize(out + err, home), error: normalize(err, home)}
    }

    // Before a terminal, where a person would be asked for what is missing.
    const piped = await pipe(...command, ...args)
    expect(piped.code, `a first example with -p sandbox, or commands.ts, has what it needs: ${piped.error}`).toBe(code)
    expect(piped.text).not.toContain('\u001B')

    const home = openHome()
    const screen = onTerminal(home, [...command, ...args], {cols})
    expect([await screen.ended, screen.text()]).toEqual([code, expect.anything()])
    const shown = normalize(screen.text(), home)

    // With --json a failure is one line of JSON with the code with which svc ends.
    const asJson = await pipe(...command, ...args, '--json')
    const failure = asJson.code === 0 ? '' : (asJson.error.split('\n').at(-1) ?? '')
    if (failure) expect(JSON.parse(failure)).toMatchObject({exitCode: asJson.code})

    const wrong = await pipe(...command, '--nonsense')
    expect(wrong).toMatchObject({code: 2, out: ''})
    expect(wrong.err).toBe(`svc: Unknown flag --nonsense. \`svc ${command.join(' ')} --help\` lists all flags.\n`)

    // Whatever is missing is named, with code 2; without a profile it is 4.
    const bare = args.length === 0 || isLong ? undefined : await pipe(...command, '--no-input')
    const parts = [
      ['on a terminal', shown],
      ['--json', failure || listFields(asJson.out)],
      ['without arguments', bare && bare.code !== 0 ? `${bare.error} (${bare.code})` : ''],
    ]
    const shownParts = parts.flatMap(([how, text]) =>
      text ? [`-- ${how}:${text.includes('\n') ? '\n' : ' '}${text}`] : [],
    )
    expect(shownParts.join('\n')).toMatchSnapshot()
  })
})
