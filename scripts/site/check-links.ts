// Finds links of the site that lead nowhere: to a file that is not there, or to a heading that no page has.
import path from 'node:path'

const attributes = /\b(?:href|src)="([^"]*)"/g
const ids = /\bid="([^"]*)"/g

const unescape = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')

const readAll = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = '']) => unescape(value))

// `files` has the text of every file of the site, by its path.
export function findBrokenLinks(files: ReadonlyMap<string, string | Buffer>): string[] {
  const anchors = new Map<string, Set<string>>()
  for (const [name, text] of files) if (name.endsWith('.html')) anchors.set(name, new Set(readAll(String(text), ids)))
  const problems: string[] = []
  for (const [name, text] of files) {
    if (!name.endsWith('.html')) continue
    for (const link of readAll(String(text), attributes)) {
      if (/^(https?|data|mailto):/.test(link)) continue
      const [target = '', anchor] = link.split('#', 2)
      const file = target === '' ? name : path.posix.join(path.posix.dirname(name), target)
      if (!files.has(file)) problems.push(`${name}: ${link} is not there`)
      else if (anchor !== undefined && !anchors.get(file)?.has(anchor))
        problems.push(`${name}: ${link} has no such heading`)
    }
  }
  return problems
}
