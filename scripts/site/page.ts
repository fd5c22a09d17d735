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
}

export interface SiteGroup {
  title: string
  pages: readonly SitePage[]
}

// From one page of the site to another, so that the site works in any folder, and from a disk.
export const getWayUp = (path: string) => '../'.repeat(path.split('/').length - 1)

export const toMarkdownPath = (path: string) => path.replace(/\.html$/, '.md')
