// svc docs: the pages of docs/, in a pipe and in a terminal.
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {listPages} from '../../src/cli/docs.ts'
import {freshHome, json, root, run} from '../support/svc.ts'
import {onTerminal} from '../support/terminal.ts'

describe('svc docs', () => {
  it('lists every page of docs/, which are in the package, with one line each', async () => {
    const {files} = json(fs.readFileSync(path.join(root, 'package.json'), 'utf8'))
    expect(files).toContain('docs')
    const {code, out} = await run(freshHome(), ['docs', '--jq', '.pages[] | .page + ": " + .about'])
    expect(code).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines).toHaveLength(fs.globSync('**/*.md', {cwd: path.join(root, 'docs')}).length)
    expect(lines).toContain('output: Standard output contains only data.')
    for (const line of lines) expect(line).toMatch(/^[\w/-]+: \S+ \S/)
  })

  it('prints the Markdown of a page in a pipe, by its name or its file', async () => {
    const home = freshHome()
    const {out, code} = await run(home, ['docs', 'pay-an-invoice'])
    const file = 'docs/tasks/pay-an-invoice.md'
    expect({code, out}).toEqual({code: 0, out: fs.readFileSync(path.join(root, file), 'utf8')})
    expect((await run(home, ['docs', file])).out).toBe(out)
    expect(json((await run(home, ['docs', file, '--json'])).out)).toMatchObject({
      page: 'tasks/pay-an-invoice',
      text: out,
    })
  })

  it('answers a misspelt page with the nearest one', async () => {
    const {code, out, err} = await run(freshHome(), ['docs', 'outptu'])
    expect({code, out}).toEqual({code: 2, out: ''})
    expect(err).toContain('Did you mean `svc docs output`?')
  })

  it('shows a page on a terminal, without a pager if there is none', async () => {
    const screen = onTerminal(freshHome(), ['docs', 'exit-codes'], {env: {PAGER: 'cat'}})
    expect(await screen.ended).toBe(0)
    expect(screen.text()).toMatch(/^# Exit codes\n\nScripts can branch on exit codes/)
  })

  it('finds the pages inside of the single executable', () => {
    const names = fs.globSync('docs/**/*.{md,svg}', {cwd: root})
    const embedded = {names, read: (name: string) => fs.readFileSync(path.join(root, name))}
    expect(listPages('/nowhere', embedded)).toEqual(listPages(root))
  })
})
