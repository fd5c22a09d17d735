// Prints the notes of a release, its section of CHANGELOG.md without the heading: node scripts/release-notes.ts 0.1.0
import fs from 'node:fs'
import path from 'node:path'
import {root} from './surface.ts'

// A heading is a version, and a date or a remark after it: "## 0.1.0 (2026-11-20)". Throws if the changelog says nothing about the
// version, so that no release is made without notes.
export function readReleaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const found = sections.find((section) => section.split(/\s/, 1)[0] === version) ?? ''
  const notes = found.slice(found.indexOf('\n') + 1).trim()
  if (notes === '') throw new Error(`CHANGELOG.md has no notes for ${version}`)
  return `${notes}\n`
}

if (import.meta.main) {
  const changelog = fs.readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')
  process.stdout.write(readReleaseNotes(changelog, process.argv[2] ?? ''))
}
