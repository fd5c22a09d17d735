// The notes of a release are its section of CHANGELOG.md.
import fs from 'node:fs'
import path from 'node:path'
import {expect, it} from 'vitest'
import {readReleaseNotes} from '../../scripts/release-notes.ts'
import {root} from '../support/svc.ts'

it('are the section of the version, and missing for one without a section or with an empty one', () => {
  const changelog =
    '# Changes\n\n## 0.2.0 (unreleased)\n\n- Second.\n\n### More\n\n- Third.\n\n## 0.1.0\n\n## Earlier\n'
  expect(readReleaseNotes(changelog, '0.2.0')).toBe('- Second.\n\n### More\n\n- Third.\n')
  for (const version of ['0.1.0', '0.2', '']) expect(() => readReleaseNotes(changelog, version)).toThrow('no notes')
})

it('are there for the version of the package', () => {
  const {version} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {version: string}
  expect(readReleaseNotes(fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8'), version)).toMatch(/^- \S/)
})
