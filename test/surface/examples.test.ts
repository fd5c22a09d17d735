// The help of every command fits a terminal, and its examples can be parsed.
import fs from 'node:fs'
import {Parser} from '@oclif/core'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {loadSurface} from '../../scripts/surface.ts'
import {commandGroups} from '../../src/cli/help/groups.ts'
import {renderHelp} from '../../src/cli/help/help.ts'
import {createHelpSource, listSummaries} from '../../src/cli/help/help-source.ts'
import {getExitCode} from '../../src/errors.ts'
import {run, sharedHome} from '../support/svc.ts'
import {useVirtualTime} from '../support/virtual-time.ts'

const surface = await loadSurface()
const manifest = await surface.manifest()
const commands = Object.values(manifest.commands).filter(({hidden}) => !hidden)
const topics = surface.pjson.oclif.topics ?? {}

const columns = 80
const plain = {dim: String, bold: String, alarm: String, status: String}
const source = createHelpSource(surface.pjson, listSummaries(manifest), () => manifest)
const help = (...words: string[]) => renderHelp(source, words, {width: columns, painter: plain})

describe('the help of every command and topic', () => {
  const topicWords = [[], ...Object.keys(topics).map((id) => id.split(':'))]

  it.each([...topicWords, ...commands.map(({id}) => id.split(':'))].map((words) => [words.join(' '), words] as const))(
    'fits %s into 80 columns',
    (_, words) => {
      const wide = help(...words)
        .split('\n')
        .filter((line) => line.length > columns)
      expect(wide).toEqual([])
    },
  )

  const linesMax = 60

  it.each(commands.map(({id}) => id))('takes at most a page for %s', (id) => {
    expect(help(...id.split(':')).split('\n').length).toBeLessThanOrEqual(linesMax)
  })

  it('has every command in one group', () => {
    const top = new Set(commands.map(({id}) => id.split(':', 1)[0] ?? ''))
    const grouped = commandGroups.flatMap((group) => [...group.commands, ...(group.also ?? [])])
    expect(grouped.toSorted()).toEqual([...top].toSorted())
  })

  it('takes at most 40 lines for all commands', () => {
    expect(help().split('\n').length).toBeLessThanOrEqual(40)
  })

  it.each(commands.map(({id}) => id))('has a summary and two examples for %s', (id) => {
    const {summary, examples} = manifest.commands[id] ?? {}
    expect(summary).toBeTruthy()
    expect(examples).toHaveLength(2)
    expect(examples?.every((example) => typeof example === 'object' && !example.command.includes('\n'))).toBe(true)
  })

  it('lists at most 24 flags of a command’s own', () => {
    const countOwn = (flags: object) =>
      Object.values(flags).filter((flag: {helpGroup?: string}) => flag.helpGroup !== 'GLOBAL').length
    const long = commands.filter(({flags}) => countOwn(flags) > 24)
    expect(long.map(({id}) => id)).toEqual([])
  })
})

// Words as the shell sees them.
const splitShellWords = (command: string) => command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []

const unquote = (word: string) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2')

// The calls of svc in a shell command: `svc … | xargs -n 1 svc …` has two.
function findCalls(command: string): string[][] {
  const calls: string[][] = [[]]
  let isFile = false
  for (const word of splitShellWords(command)) {
    if (/^(\||&&|;|\|\|)$/.test(word)) calls.push([])
    else if (!isFile && !/^\d?[<>]/.test(word)) calls.at(-1)?.push(unquote(word))
    isFile = /^\d?[<>]+$/.test(word)
  }
  return calls.filter((words) => words.includes('svc')).map((words) => words.slice(words.indexOf('svc') + 1))
}

const examples = commands.flatMap(({id, examples: some = []}) =>
  some
    .filter((example) => typeof example === 'object')
    .flatMap(({command}) => findCalls(command).map((call) => ({id, command, call}))),
)

describe('an example', () => {
  it.each(examples.map(({command, call}) => [command, call] as const))('can be parsed: %s', async (_, call) => {
    const firstFlag = call.findIndex((word) => word.startsWith('-'))
    const words = firstFlag === -1 ? call : call.slice(0, firstFlag)
    const count = words.findLastIndex((__, index) => surface.load[words.slice(0, index + 1).join(':')]) + 1
    expect(count, 'it names a command').toBeGreaterThan(0)
    const {default: found} = (await surface.load[words.slice(0, count).join(':')]?.()) ?? {}
    await Parser.parse(call.slice(count), {
      args: found?.args ?? {},
      flags: {...found?.baseFlags, ...found?.flags},
      strict: true,
    } as never)
  })
})

// They serve or wait until they are ended, ask a person, or open a browser.
const endless =
  /^(sandbox (start|requests --follow)|events (listen|watch)|mcp|console|login|tour|payouts work|.*--watch)/
// What a person has made before, under an id that nobody can know, or by approving it.
const madeBefore = /\b(rule|evt|we|dlv|fault)_[\da-f]+\b|^policy show/

describe('an example that ends by itself', () => {
  const home = sharedHome()
  const env = {SVC_PROFILE: 'sandbox', SVC_TIMEOUT: '5s', SVC_NO_INPUT: '1'}
  useVirtualTime()

  beforeAll(async () => {
    const zoe = ['--customer', '4738020a', '--from', '64fbd491', '--to', '5e24c2b3', '--from-currency', 'USDC']
    await run(home, ['pay', '--key', 'rent-2026-11', ...zoe, '--amount', '5'], {env})
    await run(home, ['sandbox', 'snapshot', 'save', 'before'], {env})
  })
  afterAll(() => fs.rmSync(home.folder, {recursive: true, force: true}))

  const runnable = examples.map(({command, call}) => ({command, call, line: call.join(' ')}))
  it.each(runnable.filter(({line}) => !endless.test(line)))('finds what it names: $command', async ({call, line}) => {
    const {code, err} = await run(home, call, {env})
    expect(code, err).not.toBe(getExitCode('bug'))
    if (!madeBefore.test(line)) expect(code, err).not.toBe(getExitCode('notFound'))
  })
})
