// Runs every console block in the documentation and compares its output.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {listPages} from '../../src/cli/docs.ts'
import {commandGroups} from '../../src/cli/help/groups.ts'
import {filterJson} from '../support/filter-json.ts'
import {runBash, installCommands} from '../support/shell.ts'
import {type Home, freshHome, root, run, runMerged} from '../support/svc.ts'

const pages = ['README.md', ...fs.globSync('docs/**/*.md', {cwd: root})].toSorted()

interface Step {
  command: string
  shown: string[]
}

// A block consists of lines `$ command`, each followed by its output.
function readSteps(page: string): Step[] {
  const steps: Step[] = []
  const text = fs.readFileSync(path.join(root, page), 'utf8')
  for (const [, block = ''] of text.matchAll(/```console\n([\s\S]*?)```/g)) {
    for (const line of block.trimEnd().split('\n')) {
      if (line.startsWith('$ ')) steps.push({command: line.slice(2), shown: []})
      else steps.at(-1)?.shown.push(line)
    }
  }
  return steps
}

// Files that a page shows and its commands read: blocks such as ```yaml file=rent.yaml.
function writeFiles(page: string, folder: string): void {
  const text = fs.readFileSync(path.join(root, page), 'utf8')
  for (const [, name = '', content = ''] of text.matchAll(/```yaml file=(\S+)\n([\s\S]*?)```/g)) {
    fs.writeFileSync(path.join(folder, name), content)
  }
}

// In the expected output, … matches anything.
const toPattern = (shown: string[]) =>
  new RegExp(
    `^${shown
      .map((line) =>
        line
          .split('…')
          .map((part) => RegExp.escape(part))
          .join('.*'),
      )
      .join('\n')}$`,
  )

declare global {
  interface RegExpConstructor {
    escape(text: string): string
  }
}

const showsCode = '; echo "exit code $?"'
const plainWord = /[\w.,:=/@+%-]+|'[^']*'|"[^"$`\\]*"/
const plainCommand = new RegExp(`^svc(?: (?:${plainWord.source}))*$`)

const plainFilter = new RegExp(`^(?:${plainWord.source})(?: (?:${plainWord.source}))*$`)

const splitWords = (command: string) =>
  [...command.matchAll(new RegExp(plainWord, 'g'))].map(([word]) => word.replace(/^(['"])(.*)\1$/, '$2'))

// What a command prints, standard error included. A shell runs it, unless it is svc with plain words, alone or before jq.
async function runStep(home: Home, command: string): Promise<string> {
  const [first = '', filter = '.'] = command.split(/ \| jq (.*)$/)
  const svc = first.replace(showsCode, '')
  if (!plainCommand.test(svc) || !plainFilter.test(filter)) return (await runBash(home, `exec 2>&1\n${command}`)).out
  const args = splitWords(svc).slice(1)
  if (first !== command) {
    const {out, err} = await run(home, args)
    return err + (await filterJson(out, splitWords(filter)))
  }
  const {code, out} = await runMerged(home, args)
  return svc === command ? out : `${out}exit code ${code}\n`
}

// The sandbox changes its prices every minute, and what is to arrive exactly is found with several
// quotes. At one price in 300 they bring a cent more, so a dry run takes the price of the next minute.
async function runAtOnePrice(home: Home, command: string, shown: RegExp): Promise<string> {
  await run(home, ['sandbox', 'clock', 'freeze', '--quiet'])
  const output = await runStep(home, command)
  if (!command.includes('--dry-run') || shown.test(output.trimEnd())) return output
  await run(home, ['sandbox', 'clock', 'advance', '1m', '--quiet'])
  return runStep(home, command)
}

describe('the documentation', () => {
  it.each(pages.map((page) => [page, readSteps(page)] as const).filter(([, steps]) => steps.length > 0))(
    'shows the real output in %s',
    async (page, steps) => {
      const home = await installCommands(freshHome())
      writeFiles(page, home.folder)
      for (const {command, shown} of steps) {
        const pattern = toPattern(shown)
        const isPriced = command.includes('--receive')
        const output = await (isPriced ? runAtOnePrice(home, command, pattern) : runStep(home, command))
        expect(output.trimEnd(), command).toMatch(pattern)
      }
    },
  )

  it('has 60 lines at most for each task', () => {
    const tasks = listPages(root).filter(({page}) => page.startsWith('tasks/'))
    expect(tasks.length).toBeGreaterThan(8)
    expect(tasks.filter(({text}) => text.trimEnd().split('\n').length > 60).map(({page}) => page)).toEqual([])
  })

  it('shows the version of the package', () => {
    const {version} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {version: string}
    expect(fs.readFileSync(path.join(root, 'README.md'), 'utf8')).toContain(`svc-${version}.tgz`)
  })

  it('has the groups of svc help in the README, and links to every page', () => {
    const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8')
    const titles = [...readme.matchAll(/^## (.*)$/gm)].map(([, title]) => title ?? '')
    const groups = commandGroups.map(({title}) => title)
    expect(titles.filter((title) => groups.includes(title))).toEqual(groups)
    const listed = listPages(root).filter(({page}) => !page.startsWith('adr/'))
    expect(listed.filter(({page}) => !readme.includes(`(docs/${page}.md)`)).map(({page}) => page)).toEqual([])
  })

  it('lists every assumption that the code refers to', () => {
    const written = fs.readFileSync(path.join(root, 'docs/assumptions.md'), 'utf8')
    const named = fs
      .globSync('src/**/*.ts', {cwd: root})
      .flatMap((file) => [
        ...fs.readFileSync(path.join(root, file), 'utf8').matchAll(/docs\/assumptions\.md, ([A-Z]\d+)/g),
      ])
      .map(([, id]) => id)
    expect(named.length).toBeGreaterThan(0)
    for (const id of named) expect(written).toContain(`| ${id} |`)
  })

  it('names only tests that exist as holding what svc protects', () => {
    const written = fs.readFileSync(path.join(root, 'docs/security.md'), 'utf8')
    const named = new Set([...written.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file))
    expect(named.size).toBeGreaterThan(50)
    expect([...named].filter((file) => !fs.existsSync(path.join(root, file)))).toEqual([])
  })
})
