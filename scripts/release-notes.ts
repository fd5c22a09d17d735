// Prints the notes of a release: its section of CHANGELOG.md, without the heading. `node scripts/release-notes.ts 0.1.0`
import fs from 'node:fs'
import path from 'node:path'
import {fileURLToPath, pathToFileURL} from 'node:url'

const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'CHANGELOG.md')

// A heading is a version, optionally with v before it, and a date or a remark after it: "## 0.1.0 (2026-11-20)".
const heading = /^## v?(\d+\.\d+\.\d+\S*)(?: .*)?$/

const stripMark = (version: string) => version.replace(/^v/, '')

// The text under each heading, by version.
function splitSections(changelog: string): Map<string, string> {
  const sections = new Map<string, string[]>()
  let current: string[] | undefined
  for (const line of changelog.split(/\r?\n/)) {
    const version = heading.exec(line)?.[1]
    if (version !== undefined) sections.set(version, (current = []))
    // Another heading of this level, such as "## Earlier", ends the section.
    else if (line.startsWith('## ')) current = undefined
    else current?.push(line)
  }
  return new Map([...sections].map(([version, lines]) => [version, lines.join('\n').trim()]))
}

// Throws if the changelog says nothing about the version, so that no release is made without notes.
export function readReleaseNotes(changelog: string, version: string): string {
  const sections = splitSections(changelog)
  const notes = sections.get(stripMark(version))
  if (notes === undefined) {
    const known = [...sections.keys()].join(', ') || 'no version'
    throw new Error(`CHANGELOG.md has no section for ${version}: it has ${known}`)
  }
  if (notes === '') throw new Error(`The section for ${version} in CHANGELOG.md is empty`)
  return `${notes}\n`
}

function run([version, ...others]: readonly string[]): void {
  try {
    if (version === undefined || others.length > 0)
      throw new Error('Give one version: node scripts/release-notes.ts 0.1.0')
    process.stdout.write(readReleaseNotes(fs.readFileSync(file, 'utf8'), version))
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 2
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) run(process.argv.slice(2))
