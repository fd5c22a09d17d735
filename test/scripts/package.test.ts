// The archives of a release, and the notes about it.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {readChanges} from '../../scripts/package/release-notes.ts'
import {writeAr, writeTarGz} from '../../scripts/package/tar.ts'
import {root, temporaryFolder} from '../support/svc.ts'

const epochSeconds = 1_700_000_000
const longFolder = `svc/${'folder-with-a-long-name/'.repeat(4)}`

const files = [
  {name: 'svc/program', content: Buffer.from('run\n'), mode: 0o755},
  {name: `${longFolder}page.txt`, content: Buffer.alloc(1300, 'x'), mode: 0o644},
]

describe('an archive', () => {
  it('has the same bytes in any order of the files, and tar reads it', () => {
    const archive = writeTarGz(files, epochSeconds)
    expect(writeTarGz(files.toReversed(), epochSeconds).equals(archive)).toBe(true)
    const folder = temporaryFolder()
    const file = path.join(folder, 'svc.tar.gz')
    fs.writeFileSync(file, archive)
    const listed = execFileSync('tar', ['-tvzf', file], {env: {...process.env, TZ: 'UTC'}}).toString()
    expect(listed).toMatch(/^drwxr-xr-x root\/root +0 2023-11-14 22:13 svc\/$/m)
    expect(listed).toMatch(/^-rwxr-xr-x root\/root +4 2023-11-14 22:13 svc\/program$/m)
    execFileSync('tar', ['-xzf', file, '-C', folder])
    for (const {name, content} of files) expect(fs.readFileSync(path.join(folder, name))).toEqual(content)
  })

  it('is made of members that begin at even bytes, as ar has them', () => {
    const archive = writeAr(
      [
        {name: 'odd', content: Buffer.from('abc')},
        {name: 'even', content: Buffer.from('de')},
      ],
      epochSeconds,
    ).toString()
    expect(archive).toBe(
      '!<arch>\nodd             1700000000  0     0     100644  3         `\nabc\neven            1700000000  0     0     100644  2         `\nde',
    )
  })
})

describe('the release notes', () => {
  it('are the section of the version', () => {
    const changelog = '# Changes\n\n## 1.1.0 (unreleased)\n\n- New.\n\n## 1.0.0\n\n- First.\n'
    expect(readChanges(changelog, '1.1.0')).toBe('- New.')
    expect(readChanges(changelog, '1.0.0')).toBe('- First.')
    expect(() => readChanges(changelog, '1.0')).toThrow('no section about 1.0')
    const {version} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {version: string}
    expect(readChanges(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version)).toMatch(/^- \S/)
  })
})
