// The documentation site, built in memory: every page is there, every link leads somewhere, and two builds are the same.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {buildSite} from '../../scripts/site/build-site.ts'
import {findBrokenLinks} from '../../scripts/site/check-links.ts'
import {renderPage} from '../../scripts/site/render-page.ts'
import {loadSurface} from '../../scripts/surface.ts'
import {root} from '../support/svc.ts'

const help = await (await loadSurface()).help()
const site = buildSite(help, '9.9.9')
const read = (name: string) => String(site.files.get(name) ?? '')

describe('the documentation site', () => {
  it('has no link that leads nowhere', () => {
    expect(site.problems).toEqual([])
  })

  it('has a page for every page of docs/ and every command that is not hidden', () => {
    const guides = fs.globSync('**/*.md', {cwd: path.join(root, 'docs')}).map((name) => name.replace(/\.md$/, '.html'))
    const commands = help.commands
      .filter(({isHidden}) => !isHidden)
      .map(({id}) => `commands/${id.replaceAll(':', '-')}.html`)
    const missing = [...guides, ...commands].filter((name) => !site.files.has(name))
    expect(missing).toEqual([])
  })

  it('is the same every time', () => {
    expect([...buildSite(help, '9.9.9').files]).toEqual([...site.files])
  })

  it('shows the flags, exit codes and examples of a command, and where to read more', () => {
    const page = read('commands/customers-list.html')
    expect(page).toContain('<h1 id="svc-customers-list">svc customers list</h1>')
    expect(page).toContain('<code>--status STATUS</code>')
    expect(page).toContain('<code>SVC_ORGANIZATION</code>')
    expect(page).toContain('<a href="../commands/customers.html">customers</a>')
    expect(read('commands/pay.html')).toContain('<td>7</td><td>Outcome unknown')
    expect(read('commands/pay.html')).toContain('<a href="../paying-once.html">Paying once</a>')
  })

  it('leads from a command in a guide to its page, and from the first page to the guides and the tour', () => {
    expect(read('paying-once.html')).toContain(
      '<a class="command" href="commands/payouts-run.html"><code>svc payouts run</code></a>',
    )
    expect(read('index.html')).toContain('<a href="paying-once.html">Paying once</a>')
    expect(read('index.html')).toContain('src="tour.svg"')
    expect(site.files.has('tour.svg')).toBe(true)
  })

  it('goes on counting in a list that was interrupted, and gives every picture its size', () => {
    expect(read('tasks/pay-a-payroll.html')).toContain('<ol start="2"><li><strong>Look.</strong>')
    const pictures = [...site.files.keys()]
      .filter((name) => name.endsWith('.html'))
      .flatMap((name) => read(name).match(/<img [^>]*>/g) ?? [])
    expect(pictures.length).toBeGreaterThan(10)
    expect(pictures.filter((picture) => !/ width="\d+" height="\d+" alt="[^"]{20,}"/.test(picture))).toEqual([])
  })

  it('works in any folder: no address begins at the root of a server', () => {
    const pages = [...site.files.keys()].filter((name) => name.endsWith('.html'))
    expect(pages.filter((name) => /(?:href|src)="\//.test(read(name)))).toEqual([])
  })

  it('has an index for the search, with an address for every section', () => {
    const index = JSON.parse(read('search-index.js').replace('window.searchIndex = ', '')) as string[][]
    const [address] =
      index.find(([, , title, heading]) => title === 'Paying once' && heading === 'Possible duplicates') ?? []
    expect(address).toBe('paying-once.html#possible-duplicates')
    expect(index.length).toBeGreaterThan(500)
  })

  it('lists its pages in llms.txt as Markdown, whose links hold too', () => {
    const list = read('llms.txt')
    expect(list).toMatch(/^# svc\n\n> The command line for a fiat and crypto payments service/)
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)
    expect(links).toContain('paying-once.md')
    expect(links.filter((target) => !site.files.has(target))).toEqual([])
    const broken = [...site.files.keys()]
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) =>
        [...read(name).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
          .map(([, target = '']) => target)
          .filter((target) => !/^https?:/.test(target))
          .filter((target) => !site.files.has(path.posix.join(path.posix.dirname(name), target)))
          .map((target) => `${name}: ${target}`),
      )
    expect(broken).toEqual([])
  })
})

describe('the check of links', () => {
  it('names a file that is missing, and a heading that a page does not have', () => {
    const files = new Map([
      [
        'index.html',
        '<a href="a/b.html">b</a><a href="a/b.html#no">b</a><img src="c.png"><a href="https://example.com/x">x</a>',
      ],
      ['a/b.html', '<h1 id="yes">b</h1><a href="../index.html#yes">i</a><a href="#yes">here</a>'],
    ])
    expect(findBrokenLinks(files)).toEqual([
      'index.html: a/b.html#no has no such heading',
      'index.html: c.png is not there',
      'a/b.html: ../index.html#yes has no such heading',
    ])
  })

  it('names a link in Markdown that leads to no page', () => {
    const page = {
      path: 'a.html',
      title: 'A',
      summary: '',
      source: 'docs/a.md',
      kind: 'Guide' as const,
      markdown: '# A\n\n[gone](gone.md) <b>x</b>',
    }
    const {broken, html} = renderPage(page, {pages: [page], commandIds: new Set()})
    expect(broken).toEqual(['gone.md'])
    expect(html).toContain('&lt;b&gt;x&lt;/b&gt;')
  })
})
