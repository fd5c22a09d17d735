// The section of CHANGELOG.md about a version.

export function readChanges(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1)
  const found = sections.find((section) => section.split(/[\s(]/, 1)[0] === version)
  if (found === undefined) throw new Error(`CHANGELOG.md has no section about ${version}`)
  return found.slice(found.indexOf('\n') + 1).trim()
}
