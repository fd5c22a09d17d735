// svc docs: the pages of docs/, in a pipe, in a terminal and for the browser.
import fs from 'node:fs'
import path from 'node:path'
import {fileURLToPath} from 'node:url'
import stringWidth from 'string-width'
import {describe, expect, it} from 'vitest'
import {listPages} from '../../src/cli/docs/pages.ts'
import {commandGroups, pageGroups} from '../../src/cli/help/groups.ts'
import {canShowLinks} from '../../src/cli/docs/links.ts'
import {foldCode, renderPage} from '../../src/cli/docs/render-terminal.ts'
import {parseMarkdown} from '../../src/cli/docs/markdown.ts'
import {renderHtml} from '../../src/cli/docs/render-html.ts'
import {freshHome, json, root, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

const pages = listPages(root)
const painter = {dim: String, bold: String, alarm: String, status: String}
const listCode = (text: string) => parseMarkdown(text).flatMap((block) => (block.kind === 'code' ? [block.lines] : []))
const findTopic = (wanted: string) => {
  const page = pages.find(({topic}) => topic === wanted)
  if (!page) throw new Error(`no page ${wanted}`)
  return page
}

describe('svc docs', () => {
  it('lists every page of docs/, which are in the package', async () => {
    const {files} = json(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
    expect(files).toContain('docs')
    const {code, out} = await run(freshHome(), ['docs', '--jq', '.pages[] | .topic + ": " + .summary'])
    expect(code).toBe(0)
    const topics = out.trimEnd().split('\n')
    expect(topics).toHaveLength(fs.globSync('**/*.md', {cwd: path.join(root, 'docs')}).length)
    expect(topics).toContain('output: Standard output contains only data.')
    for (const topic of topics) expect(topic).toMatch(/^[\w/-]+: \S+ \S/)
  })

  it('lists them by task on one screen of 80 columns, in the groups of svc help, with a beginning', async () => {
    const screen = onTerminal(freshHome(), ['docs'])
    expect(await screen.ended).toBe(0)
    const lines = screen.text().trimEnd().split('\n')
    expect(lines.length).toBeLessThan(40)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(lines[0]).toContain('Begin with `svc docs everyday`')
    expect(lines.filter((line) => /^[A-Z ]+$/.test(line))).toEqual(commandGroups.map(({title}) => title.toUpperCase()))
    const words = new Set(screen.text().split(/[\s,]+/))
    const listed = pages.filter(({topic}) => !topic.startsWith('adr/')).map(({topic}) => topic.replace('tasks/', ''))
    expect(listed.filter((topic) => !words.has(topic))).toEqual([])
  })

  it('has every page but decisions in a group, and every page of a group', () => {
    const grouped = new Set(pageGroups.flatMap(({tasks, reference}) => [...tasks, ...reference]))
    const topics = pages.map(({topic}) => topic).filter((topic) => !topic.startsWith('adr/'))
    expect(topics.toSorted()).toEqual([...grouped].toSorted())
  })

  it('prints the Markdown of a page in a pipe, by its topic or its file', async () => {
    const home = freshHome()
    const {out, code} = await run(home, ['docs', 'output'])
    expect({code, out}).toEqual({code: 0, out: fs.readFileSync(path.join(root, 'docs/output.md'), 'utf8')})
    expect((await run(home, ['docs', 'docs/output.md'])).out).toBe(out)
    expect(json((await run(home, ['docs', 'output', '--json'])).out)).toMatchObject({topic: 'output', text: out})
  })

  it('answers a misspelt page with the nearest one', async () => {
    const {code, out, err} = await run(freshHome(), ['docs', 'outptu'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('Did you mean `svc docs output`?')
  })

  it('finds a word in the texts, and shows the lines that have it', async () => {
    const {code, out} = await run(freshHome(), ['docs', 'limits'])
    expect(code).toBe(0)
    expect(out).toMatch(/^PAGE +LINE\n.*limits/i)
    expect(out).toMatch(/^profiles .*limits/im)
    const {hits} = json((await run(freshHome(), ['docs', 'limits', '--json'])).out) as {hits: unknown[]}
    expect(hits.length).toBeGreaterThan(3)
  })

  it.each([
    [['what', 'svc', 'assumes'], '# What svc assumes'],
    [['profile'], '# Profiles and credentials'],
    [['standardwebhooks.com'], '# Events'],
  ])('shows the best page for %j', async (words, title) => {
    expect((await run(freshHome(), ['docs', ...words])).out.split('\n')[0]).toBe(title)
  })

  it('shows a page on a terminal, without a pager if there is none', async () => {
    const screen = onTerminal(freshHome(), ['docs', 'exit-codes'], {env: {PAGER: 'cat'}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/^EXIT CODES\n\nScripts can branch on exit codes/)
  })

  it.each([60, 80, 120])('wraps every page between words at %i columns, except for what is to be copied', (width) => {
    for (const page of pages) {
      const codeLines = new Set(listCode(page.text).flatMap((lines) => foldCode(lines, width)))
      for (const line of renderPage(page, {painter, width, hasLinks: false}).split('\n')) {
        const isCode = codeLines.has(line)
        const isOneWord = !line
          .trim()
          .replace(/^(-|\d+\.) /, '')
          .includes(' ')
        // A path in a table may be wider than its column.
        const isTable = / {2,}\S/.test(line.trim())
        expect([isCode || isOneWord || isTable || stringWidth(line) <= width, line]).toEqual([true, line])
      }
    }
  })

  it.each([60, 80, 120])('folds commands and explanations at %i columns so that they can be copied', (width) => {
    const isFoldable = (line: string) => /^(\$ )?svc[ :]/.test(line)
    for (const lines of pages.flatMap(({text}) => listCode(text))) {
      for (const line of lines.filter(isFoldable)) {
        const folded = foldCode([line], width)
        const unfolded = folded
          .map((each) => each.trim())
          .join(' ')
          .replaceAll(' \\ ', ' ')
        expect(unfolded.replaceAll(/\s+(# )?/g, ' ')).toBe(line.replaceAll(/\s+(# )?/g, ' ').trimEnd())
        // A word in quotes, or one without spaces, is never broken.
        const wide = folded.filter(
          (each) => stringWidth(each) > width && !/^\s*(--?\w\S* )?(['"].*|\S+)( \\)?$/.test(each),
        )
        expect(wide).toEqual([])
      }
    }
  })

  it('leaves every other line of code whole, with less indentation where that lets it fit', () => {
    const cron = `30 1 * * *  svc pay -f ${'x'.repeat(70)}`
    expect(foldCode([cron], 80)).toEqual([`    ${cron}`])
    const box = `┌${'─'.repeat(77)}┐`
    expect(foldCode([box, 'short'], 80)).toEqual([` ${box}`, ' short'])
    expect(foldCode(['svc pay --customer ID --key rent --max-fee 1% --yes'], 40)).toEqual([
      '    svc pay --customer ID --key rent \\',
      '        --max-fee 1% --yes',
    ])
    expect(foldCode(['svc journal show KEY     what was sent and answered, with times'], 60)).toEqual([
      '    svc journal show KEY     what was sent and answered,',
      '                             with times',
    ])
    expect(foldCode(['maxFee: 1%   # of the amount paid, or an amount in the currency'], 50)).toEqual([
      '    maxFee: 1%   # of the amount paid, or an',
      '                 # amount in the currency',
    ])
  })

  it('has links where the terminal shows them, and says where they lead elsewhere', () => {
    const plain = renderPage(findTopic('output'), {painter, width: 100, hasLinks: false}).replace(/\s+/g, ' ')
    expect(plain).toContain('L8 to L11 (svc docs assumptions)')
    expect(plain).toContain('jq (https://jqlang.org/manual/)')
    const linked = renderPage(findTopic('output'), {painter, width: 100, hasLinks: true})
    expect(linked).toContain('\u001B]8;;https://jqlang.org/manual/\u0007jq\u001B]8;;\u0007')
    expect(canShowLinks({TERM_PROGRAM: 'WezTerm'})).toBe(true)
    expect(canShowLinks({TERM: 'xterm-256color', VTE_VERSION: '7600'})).toBe(true)
    expect(canShowLinks({TERM: 'tmux-256color', VTE_VERSION: '7600'})).toBe(false)
    expect(canShowLinks({TERM: 'xterm-256color'})).toBe(false)
    expect(canShowLinks({FORCE_HYPERLINK: '1'})).toBe(true)
  })

  it('finds the pages inside of the single executable, whose links name commands', () => {
    const names = fs.globSync('docs/**/*.{md,svg}', {cwd: root})
    const embedded = {names, read: (name: string) => fs.readFileSync(path.join(root, name))}
    const found = listPages('/nowhere', embedded)
    expect(found).toEqual(pages.map((page) => ({...page, file: undefined})))
    const output = found.find(({topic}) => topic === 'output')
    if (!output) throw new Error('no page output')
    const linked = renderPage(output, {painter, width: 100, hasLinks: true}).replace(/\s+/g, ' ')
    expect(linked).toContain('L8 to L11 (svc docs assumptions)')
    expect(linked).toContain('\u001B]8;;https://jqlang.org/manual/\u0007jq\u001B]8;;\u0007')
  })

  it('writes pages for the browser whose links lead to each other, with --web', async () => {
    const home = freshHome()
    const {out} = await run(home, ['docs', 'output', '--web', '--json'])
    const file = fileURLToPath(String(json(out)['url']))
    const html = fs.readFileSync(file, 'utf8')
    expect(html).toContain('<a href="assumptions.html#lists-and-queries">L8 to L11</a>')
    for (const page of pages) {
      const folder = path.dirname(path.join(path.dirname(file), page.name))
      const targets = [...renderHtml(page, pages).matchAll(/href="([^"#]+\.html)(?:#[^"]*)?"/g)].map(
        ([, target]) => target,
      )
      for (const target of targets) expect(fs.existsSync(path.join(folder, target ?? ''))).toBe(true)
    }
    const index = fileURLToPath(String(json((await run(home, ['docs', '--web', '--json'])).out)['url']))
    expect(fs.readFileSync(index, 'utf8')).toContain('<a href="paying-once.html">Paying once</a>: ')
    expect(html).not.toMatch(/<script|src=/)
  })
})
