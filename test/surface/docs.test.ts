// svc docs: the pages of docs/, in a pipe and in a terminal.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {fitPage, listPages} from '../../src/cli/docs.ts'
import {freshHome, json, root, run} from '../support/svc.ts'

describe('svc docs', () => {
  it('lists every page of docs/, which are in the package, with one line each', async () => {
    const {files} = json(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
    expect(files).toContain('docs')
    const {code, out} = await run(freshHome(), ['docs', '--jq', '.pages[] | .page + ": " + .title'])
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(fs.globSync('**/*.md', {cwd: path.join(root, 'docs')}).length)
    expect(lines).toContain('paying-once: Paying once')
    for (const line of lines) expect(line).toMatch(/^[\w/-]+: \S/)
  })

  it('prints the Markdown of a page in a pipe, by its name or its file', async () => {
    const home = freshHome()
    const {out, code} = await run(home, ['docs', 'pay-an-invoice'])
    const file = 'docs/tasks/pay-an-invoice.md'
    expect({code, out}).toEqual({code: 0, out: fs.readFileSync(path.join(root, file), 'utf8')})
    expect(json((await run(home, ['docs', file, '--json'])).out)).toMatchObject({
      page: 'tasks/pay-an-invoice',
      text: out,
    })
  })

  it('wraps paragraphs and items for a terminal, and leaves code as it is', () => {
    const page = (...parts: string[]) => [...parts, '```\nwide code\nin two lines\n```'].join('\n\n')
    expect(fitPage(page('# A', 'One\nline', '- an\n  item'), 24)).toBe(page('# A', 'One line', '- an item'))
  })

  it('finds the pages inside of the single executable', () => {
    const names = fs.globSync('docs/**/*.{md,svg}', {cwd: root})
    const embedded = {names, read: (name: string) => fs.readFileSync(path.join(root, name))}
    expect(listPages('/nowhere', embedded)).toEqual(listPages(root))
  })
})
