// The manual pages: made from the same descriptions as help, and read without complaint by man and mandoc, if installed.
import {execFileSync, spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {renderManual} from '../../scripts/man/render-man.ts'
import {escapeLine, renderProse} from '../../scripts/man/roff.ts'
import {loadSurface} from '../../scripts/surface.ts'
import {hasProgram} from '../support/programs.ts'
import {temporaryFolder} from '../support/svc.ts'

const surface = await loadSurface()
const help = await surface.help()
const outputMax = 100_000_000
const pages = renderManual({help, version: '9.9.9', date: '2026-11-16'})

function writePages(): string[] {
  const folder = temporaryFolder()
  return [...pages].map(([name, text]) => {
    const file = path.join(folder, name)
    fs.writeFileSync(file, text)
    return file
  })
}

// What a page looks like in a terminal of 80 columns, without bold letters, which are printed twice.
const show = (name: string) =>
  execFileSync('mandoc', ['-Tutf8', '-O', 'width=80'], {input: pages.get(name) ?? '', encoding: 'utf8'})
    .split('\b')
    .map((part, index, parts) => (index < parts.length - 1 ? part.slice(0, -1) : part))
    .join('')

describe('manual pages', () => {
  it('has a page for svc, for every topic and for every command that is not hidden', () => {
    const visible = help.commands.filter(({isHidden}) => !isHidden).map(({id}) => id)
    const expected = ['svc', ...new Set([...Object.keys(help.topics), ...visible])].map((id) =>
      id === 'svc' ? 'svc.1' : `svc-${id.replaceAll(':', '-')}.1`,
    )
    expect([...pages.keys()].toSorted()).toEqual(expected.toSorted())
  })

  it('gives every command its sections', () => {
    for (const {id, isHidden} of help.commands) {
      if (isHidden) continue
      const text = pages.get(`svc-${id.replaceAll(':', '-')}.1`) ?? ''
      for (const title of ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO'])
        expect(text, `${id} has no section ${title}`).toContain(`\n.SH ${title}\n`)
    }
  })

  it('lists every flag of pay, its variables and its exit codes', () => {
    const text = pages.get('svc-pay.1') ?? ''
    expect(text).toContain('.TH SVC\\-PAY 1 "2026-11-16" "svc 9.9.9" "svc manual"\n')
    for (const {name, hidden, helpGroup} of Object.values(help.readCommand('pay').flags)) {
      if (!hidden && helpGroup !== 'GLOBAL') expect(text).toContain(`\\fB\\-\\-${name.replaceAll('-', '\\-')}\\fR`)
    }
    expect(text).toContain('\\fBSVC_DRY_RUN\\fR\nSets \\fB\\-\\-dry\\-run\\fR.')
    expect(text).toContain('.TP\n\\fB7\\fR\nOutcome unknown')
  })

  it('escapes what roff would read as its own', () => {
    expect(escapeLine('.svc.json')).toBe('\\&.svc.json')
    expect(escapeLine("'a' \\n -- ~ ^ ` …")).toBe('\\(aqa\\(aq \\en \\-\\- \\(ti \\(ha \\(ga \\[u2026]')
    const words = Array.from({length: 40}, () => '.svc.json').join(' ')
    for (const line of renderProse(words).split('\n')) expect(line).toMatch(/^\\&\.svc/)
  })

  it('names no page in SEE ALSO that does not exist', () => {
    for (const text of pages.values()) {
      for (const [, name = ''] of text.matchAll(/\\fB(svc[^\s]*?)\\fR\(1\)/g))
        expect([...pages.keys()]).toContain(`${name.replaceAll('\\-', '-')}.1`)
    }
  })

  // man starts five programs for each page, so it reads a few, and groff, which it calls, reads all.
  it.skipIf(!hasProgram('man'))('is read by man without a warning', () => {
    const files = writePages().filter((file) => /svc(-pay|-api|-codes)?\.1$/.test(file))
    const {stderr, status} = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', '-Tutf8', '-Z', ...files], {
      encoding: 'utf8',
      env: {...process.env, LC_ALL: 'C.UTF-8'},
      maxBuffer: outputMax,
    })
    expect({stderr, status, count: files.length}).toEqual({stderr: '', status: 0, count: 4})
  })

  it.skipIf(!hasProgram('groff'))('is read by groff without a warning', () => {
    const {stderr, status} = spawnSync('groff', ['-ww', '-man', '-Tutf8', '-z', ...writePages()], {encoding: 'utf8'})
    expect({stderr, status}).toEqual({stderr: '', status: 0})
  })

  it.skipIf(!hasProgram('mandoc'))('is read by mandoc without a remark', () => {
    const {stdout} = spawnSync('mandoc', ['-Tlint', ...writePages()], {encoding: 'utf8'})
    expect(stdout).toBe('')
  })

  it.skipIf(!hasProgram('mandoc'))('shows a command that can be copied', () => {
    expect(show('svc-pay.1')).toContain("--amount 100 --key 'rent-{date}' --max-fee 1% --yes --quiet")
  })
})
