// svc help: the root, topics, commands, and help topics.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {globalFlags} from '../../src/cli/flags/shared.ts'
import {exitCodeMeanings} from '../../src/errors.ts'
import {commandGroups, topicGroups} from '../../src/cli/help/groups.ts'
import {freshHome, root, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

describe('svc help', () => {
  it('is printed by svc alone, with --help and with help', async () => {
    const home = freshHome()
    const [bare, flag, word] = [await run(home, []), await run(home, ['--help']), await run(home, ['help'])]
    expect(bare).toMatchObject({code: 0, err: ''})
    expect(bare.out).toContain('customers')
    expect(flag).toEqual(bare)
    expect(word).toEqual(bare)
  })

  it('shows every command in its group, on one screen', async () => {
    const screen = onTerminal(freshHome(), ['help'])
    expect(await screen.ended).toBe(0)
    const lines = screen.text().trimEnd().split('\n')
    expect(lines.length).toBeLessThan(40)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.filter((line) => /^[A-Z ]+$/.test(line))).toEqual([
      'EVERY DAY',
      'MONEY',
      'AUTOMATION',
      'OVERSIGHT',
      'DEVELOPERS',
    ])
  })

  it('has every command in one group', async () => {
    const {commands} = JSON.parse(fs.readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8')) as {
      commands: Record<string, {id: string; hidden: boolean}>
    }
    const visible = Object.values(commands).flatMap(({id, hidden}) => (hidden ? [] : [id.split(':')]))
    const top = new Set(visible.map(([first = '']) => first))
    expect(commandGroups.flatMap((group) => [...group.commands, ...(group.also ?? [])]).toSorted()).toEqual(
      [...top].toSorted(),
    )
    for (const [topic, groups] of Object.entries(topicGroups)) {
      const below = new Set(visible.flatMap(([first, second = '']) => (first === topic ? [second] : [])))
      expect(groups.flatMap((group) => group.commands).toSorted()).toEqual([...below].toSorted())
    }
  })

  it('shows the many commands of the sandbox in groups', async () => {
    const {out} = await run(freshHome(), ['sandbox', '--help'])
    expect([...out.matchAll(/^[A-Z]+$/gm)].map(([title]) => title)).toEqual([
      'USAGE',
      ...(topicGroups['sandbox'] ?? []).map(({title}) => title.toUpperCase()),
    ])
  })

  it('explains a command with --help, -h and help', async () => {
    const home = freshHome()
    const [flag, short, word] = [
      await run(home, ['customers', 'list', '--help']),
      await run(home, ['customers', 'list', '-h']),
      await run(home, ['help', 'customers', 'list']),
    ]
    expect(flag.out).toContain('$ svc customers list [flags]')
    expect(flag.out).toContain('EXAMPLES')
    expect(short).toEqual(flag)
    expect(word).toEqual(flag)
  })

  it('shows the commands of a topic', async () => {
    const {code, out} = await run(freshHome(), ['customers'])
    expect(code).toBe(0)
    expect(out).toMatch(/customers list +List customers/)
  })

  it('fits a terminal of 80 columns', async () => {
    const screen = onTerminal(freshHome(), ['help', 'login'])
    expect(await screen.ended).toBe(0)
    expect(
      Math.max(
        ...screen
          .text()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80)
  })

  it('has a short form: summary, usage, two examples, the flags that matter, and where the rest is', async () => {
    const {out} = await run(freshHome(), ['pay', '--help'])
    const sections = [...out.matchAll(/^[A-Z ]+$/gm)].map(([title]) => title)
    expect(sections).toEqual(['USAGE', 'EXAMPLES', 'FLAGS', 'GLOBAL FLAGS'])
    expect(out.match(/^ {2}\$ svc pay /gm)).toHaveLength(3)
    expect(out).toContain('  --amount AMOUNT')
    expect(out).not.toMatch(/--slot-zone ZONE|--profile NAME|SVC_/)
    expect(out).toMatch(/others: `svc help flags`\n\n`svc help pay --all` also shows the details, \d+ more flags/)
    expect(out.split('\n').length).toBeLessThan(60)
  })

  it('has a full form with all flags and examples', async () => {
    const home = freshHome()
    const {out} = await run(home, ['help', 'pay', '--all'])
    expect(out).toMatch(/--slot-zone ZONE /)
    expect(out.match(/^ {2}# /gm)?.length).toBeGreaterThan(2)
    expect(await run(home, ['pay', '--help', '--all'])).toMatchObject({out})
  })

  it('lists the flags that every command has', async () => {
    const {out} = await run(freshHome(), ['help', 'flags'])
    for (const flag of Object.keys(globalFlags)) expect(out).toMatch(new RegExp(`--${flag}\\b`))
    expect(out).toContain('[SVC_PROFILE]')
  })

  it('ends with the exit codes that matter for a command, in the full form', async () => {
    const {out} = await run(freshHome(), ['help', 'customers', 'get', '--all'])
    expect(out.split('EXIT CODES\n')[1]).toMatch(/^ +4 {2}No credential.*\n +5 {2}Not found\.\n +6 {2}/)
  })

  it('prints every exit code that svc can end with', async () => {
    const {out} = await run(freshHome(), ['help', 'exit-codes'])
    const listed = [...out.matchAll(/^ +(\d+) {2}\S/gm)].map(([, code]) => Number(code))
    expect(listed).toEqual(exitCodeMeanings.map(({code}) => code))
  })

  it.each(['environment', 'output'])('has the topic %s', async (topic) => {
    expect((await run(freshHome(), ['help', topic])).code).toBe(0)
  })

  it('lists every variable that is not the variable of a flag', async () => {
    const {out} = await run(freshHome(), ['help', 'environment'])
    for (const name of [
      'SVC_BASE_URL',
      'SVC_API_KEY',
      'SVC_WEBHOOK_SECRET',
      'SVC_EVENTS',
      'SVC_JOURNAL',
      'SVC_SANDBOX_FILE',
    ])
      expect(out).toContain(name)
  })

  it.each([
    ['exit-code', 'exit-codes'],
    ['enviroment', 'environment'],
    ['custmers', 'customers'],
    ['customers lst', 'customers list'],
  ])('names the nearest topic for "%s"', async (typed, nearest) => {
    const {code, out, err} = await run(freshHome(), ['help', ...typed.split(' ')])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain(`Did you mean \`svc help ${nearest}\`?`)
  })

  it('rejects an unknown topic', async () => {
    const {code, out, err} = await run(freshHome(), ['help', 'weather'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('weather')
  })

  it('names the nearest command for a mistyped one, and runs nothing', async () => {
    const {code, out, err} = await run(freshHome(), ['customers', 'lsit'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toBe(
      'svc: There is no command "customers lsit". Did you mean `svc customers list`? `svc help` lists all commands.\n',
    )
  })
})
