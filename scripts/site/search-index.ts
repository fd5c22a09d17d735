// The index that the search of the site loads when it is first used: every section with its heading and its text. It is a script
// and not JSON, since a page that is opened from a disk may not read other files.
import type {RenderedPage} from './render-page.ts'
import type {SitePage} from './page.ts'

// Long tables make the index large, and their end is seldom what is searched for.
const textLengthMax = 3000

type Entry = readonly [address: string, title: string, heading: string, text: string]

function toEntries(page: SitePage, {sections}: RenderedPage): Entry[] {
  return sections.map(({heading, text}, index) => [
    heading && index > 0 ? `${page.path}#${heading.anchor}` : page.path,
    page.title,
    index > 0 ? (heading?.text ?? '') : '',
    text.slice(0, textLengthMax),
  ])
}

export function renderSearchIndex(pages: ReadonlyArray<{page: SitePage; rendered: RenderedPage}>): string {
  const entries = pages.flatMap(({page, rendered}) => toEntries(page, rendered))
  return `window.searchIndex = [\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`
}
