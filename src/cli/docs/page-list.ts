// Lists the pages of docs/ on one screen, in the groups of `svc help`.
import {type Row, getPageWidth, renderRows, renderSection} from '../help/command-help.ts'
import {pageGroups} from '../help/groups.ts'
import {createPainter} from '../output/colour.ts'
import {type DocsPage, toShortTopic} from './pages.ts'

export async function renderPageList(
  pages: readonly DocsPage[],
  stream: {isTTY?: boolean | undefined; columns?: number | undefined},
): Promise<string> {
  const page = {width: getPageWidth(stream), painter: await createPainter(stream)}
  const names = pageGroups.flatMap(({tasks}) => tasks.map((topic) => toShortTopic(topic).length))
  const width = Math.max(...names)
  const sections = pageGroups.map(({title, tasks, reference}) => {
    const rows = pages
      .filter(({topic}) => tasks.includes(topic))
      .map(({topic, summary}): Row => [toShortTopic(topic).padEnd(width), summary])
    const others: Row = ['look up'.padEnd(width), reference.join(', ')]
    return renderSection(title.toUpperCase(), renderRows([...rows, others], page), page)
  })
  return [
    'Begin with `svc docs everyday`. `svc docs WORD` finds a page, or what is said.\n',
    ...sections,
    '\n`svc docs PAGE --web` opens a page in the browser; adr/0001 and so on tell why.\n',
  ].join('')
}
