// The pictures of the documentation: recorded anew they are the same, they need nothing from elsewhere, and pages show them.
import {execFile} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {promisify} from 'node:util'
import stringWidth from 'string-width'
import {describe, expect, it} from 'vitest'
import {listPages} from '../../src/cli/docs/pages.ts'
import {renderHtml} from '../../src/cli/docs/render-html.ts'
import {renderPage} from '../../src/cli/docs/render-terminal.ts'
import {freshHome, root} from '../support/svc.ts'

const docs = path.join(root, 'docs')
const pages = listPages(root)
const tasks = pages.filter(({topic}) => topic.startsWith('tasks/'))
const names = ['tour', ...tasks.map(({topic}) => topic)]
const read = (folder: string, name: string) => fs.readFileSync(path.join(folder, `${name}.svg`), 'utf8')
const painter = {dim: String, bold: String, alarm: String, status: String}

describe('the pictures of the documentation', () => {
  it('are the same when `npm run record` records them again, and nothing is left behind', async () => {
    const {scripts} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    expect(scripts['record']).toMatch(/ && node scripts\/record\/index\.ts$/)
    const home = freshHome()
    const temporary = path.join(home.folder, 'tmp')
    const recorded = path.join(home.folder, 'recorded')
    fs.mkdirSync(temporary)
    await promisify(execFile)(process.execPath, [path.join(root, 'scripts/record/index.ts'), recorded], {
      env: {...process.env, ...home.env, TMPDIR: temporary},
    })
    for (const name of names) expect(read(recorded, name), name).toBe(read(docs, name))
    expect(fs.readdirSync(temporary)).toEqual([])
  })

  it.each(names)('need nothing from elsewhere, are small, and can be read in the dark: %s', (name) => {
    const picture = read(docs, name)
    expect(picture.length).toBeLessThan(40_000)
    expect(picture).not.toMatch(/<script|<foreignObject|@import|@font-face|url\(/)
    expect(picture.replace('http://www.w3.org/2000/svg', '').replaceAll(/<text.*/g, '')).not.toMatch(/https?:\/\//)
    expect(picture).toContain('prefers-color-scheme:dark')
    expect(picture).toMatch(/^<svg [^>]*width="\d+" height="\d+" role="img" aria-labelledby="title text">\n<title/)
    // At most 80 columns.
    const widths = [...picture.matchAll(/<text[^>]*>(.*?)<\/text>/g)].map(([, text = '']) =>
      stringWidth(text.replaceAll(/<[^>]*>/g, '').replaceAll(/&\w+;/g, '&')),
    )
    expect(Math.max(...widths)).toBeLessThanOrEqual(80)
  })

  it('are shown by the README and by every task page, and not in a terminal', () => {
    expect(fs.readFileSync(path.join(root, 'README.md'), 'utf8')).toContain('](docs/tour.svg)')
    for (const page of tasks) {
      const [, alt = '', file] = /^!\[(A terminal: [^\]]{20,})\]\((.*)\)$/m.exec(page.text) ?? []
      expect(file).toBe(`${path.posix.basename(page.topic)}.svg`)
      expect(renderPage(page, {painter, width: 80, hasLinks: false})).not.toMatch(/\.svg|A terminal:/)
      expect(renderHtml(page, pages)).toContain(`/docs/${page.topic}.svg" alt="${alt}">`)
    }
  })
})
