// The index that the search of the site loads when it is first used: every page, section, command and flag with its text. It is a
// script and not JSON, since a page that is opened from a disk may not read other files.
import type {RenderedPage, Section} from './render-page.ts'
import type {PageKind, SitePage} from './page.ts'

// Long tables make the index large, and their end is seldom what is searched for.
const textLengthMax = 3000

type Entry = readonly [address: string, kind: PageKind | 'Flag', title: string, heading: string, text: string]

// Parts of every command's page that say the same on all of them, or lead elsewhere.
const repeatedHeadings = new Set(['Exit codes', 'Commands', 'Guides', 'Flags'])

const isRepeated = ({kind}: SitePage, {heading, isFlag}: Section) =>
  kind === 'Command' && !isFlag && heading?.level === 2 && repeatedHeadings.has(heading.text)

function toEntries(page: SitePage, {sections}: RenderedPage): Entry[] {
  return sections
    .map((section, index) => ({section, isFirst: index === 0}))
    .filter(({section}) => !isRepeated(page, section))
    .map(({section: {heading, text, isFlag}, isFirst}) => [
      heading && !isFirst ? `${page.path}#${heading.anchor}` : page.path,
      isFlag ? 'Flag' : page.kind,
      page.title,
      isFirst ? '' : (heading?.text ?? ''),
      text.slice(0, textLengthMax),
    ])
}

export function renderSearchIndex(pages: ReadonlyArray<{page: SitePage; rendered: RenderedPage}>): string {
  const entries = pages.flatMap(({page, rendered}) => toEntries(page, rendered))
  return `window.searchIndex = [\n${entries.map((entry) => JSON.stringify(entry)).join(',\n')}\n]\n`
}
