// A page of the documentation site, before it gets its frame.

export interface SitePage {
  // The file inside the site, such as paying-once.html or commands/pay.html.
  path: string
  title: string
  summary: string
  // Its Markdown, which is published beside it for programs that read it.
  markdown: string
  // The file from which links in it start, such as docs/paying-once.md.
  source: string
  // The pages above it, the first one at the top.
  parents?: ReadonlyArray<{title: string; path: string}>
  // The part of the navigation that it is in. Pages without one are found by links alone.
  group?: string
  // What the search calls it, and by what it sorts what is equally good.
  kind: PageKind
}

export type PageKind = 'Task' | 'Command' | 'Guide' | 'Decision' | 'Changes'

// As `svc docs` lists the pages: first those that show how a thing is done, then those to look things up in.
export interface SiteGroup {
  title: string
  tasks: readonly SitePage[]
  reference: readonly SitePage[]
}

export const listGroupPages = ({tasks, reference}: SiteGroup) => [...tasks, ...reference]

// From one page of the site to another, so that the site works in any folder, and from a disk.
export const getWayUp = (path: string) => '../'.repeat(path.split('/').length - 1)

export const toMarkdownPath = (path: string) => path.replace(/\.html$/, '.md')
