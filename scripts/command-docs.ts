// Renders docs/commands.md: the commands, one line each, with a heading for each topic.
import type {Interfaces} from '@oclif/core'

export function renderCommandDocs({commands}: Interfaces.Manifest): string {
  const topics = Map.groupBy(Object.values(commands), ({id}) => (id.includes(':') ? (id.split(':', 1)[0] ?? '') : ''))
  const sections = [...topics]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([topic, found]) => {
      const rows = found.map(({id, summary = ''}) => `| \`svc ${id.replaceAll(':', ' ')}\` | ${summary} |`)
      return [
        `## ${topic === '' ? 'One word' : topic}`,
        '',
        '| command | what it does |',
        '|---|---|',
        ...rows,
        '',
      ].join('\n')
    })
  return [
    '# Commands',
    '',
    '`svc COMMAND --help` explains one, with its flags and examples. `npm run docs` writes this page from the manifest.',
    '',
    ...sections,
  ].join('\n')
}
