// The notes of a release are its section of CHANGELOG.md.
import {spawnSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {describe, expect, it} from 'vitest'
import {readReleaseNotes} from '../../scripts/release-notes.ts'
import {root} from '../support/svc.ts'

const changelog = `# Changes

## 0.2.0 (unreleased)

- Second.
  It goes on.

### Details

- More.

## v0.1.1-rc.1

- Candidate.

## 0.1.0 (2026-11-20)

- First.

## 0.0.1

## Earlier

- Not of a version.
`

const run = (...args: string[]) => {
  const {status, stdout, stderr} = spawnSync(process.execPath, ['scripts/release-notes.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return {status, stdout, stderr}
}

describe('the release notes', () => {
  it('are the section of the version, with everything below it', () => {
    expect(readReleaseNotes(changelog, '0.2.0')).toBe('- Second.\n  It goes on.\n\n### Details\n\n- More.\n')
    expect(readReleaseNotes(changelog, 'v0.1.1-rc.1')).toBe('- Candidate.\n')
    expect(readReleaseNotes(changelog.replaceAll('\n', '\r\n'), '0.1.0')).toBe('- First.\n')
  })

  it('are missing for a version without a section, or with an empty one', () => {
    expect(() => readReleaseNotes(changelog, '0.1')).toThrow(
      'no section for 0.1: it has 0.2.0, 0.1.1-rc.1, 0.1.0, 0.0.1',
    )
    expect(() => readReleaseNotes(changelog, '0.0.1')).toThrow('is empty')
    expect(() => readReleaseNotes('# Changes\n', '1.0.0')).toThrow('it has no version')
  })

  it('are printed for the version of the package', () => {
    const {version} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {version: string}
    const {status, stdout, stderr} = run(version)
    expect({status, stderr}).toEqual({status: 0, stderr: ''})
    expect(stdout).toMatch(/^- \S/)
    expect(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')).toContain(stdout)
    expect(run('9.9.9')).toMatchObject({status: 2, stdout: '', stderr: expect.stringMatching(/^CHANGELOG\.md has no/)})
    expect(run()).toMatchObject({status: 2, stdout: ''})
  })
})
