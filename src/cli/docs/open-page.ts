// Writes the pages of docs/ as HTML and opens one of them in the browser.
import path from 'node:path'
import {pathToFileURL} from 'node:url'
import {makePrivateFolder, replacePrivateFile} from '../../storage/private-file.ts'
import {getStateFolder} from '../../storage/folders.ts'
import {openPageFile} from '../browser.ts'
import type {DocsPage} from './pages.ts'
import {renderHtml} from './render-html.ts'

// All pages are written, so that the links between them work. Returns the address, and why it was not opened, if so.
export async function openPage(
  page: DocsPage,
  pages: readonly DocsPage[],
  isOpening: boolean,
): Promise<{url: string; problem: string | undefined}> {
  const folder = path.join(getStateFolder(), 'docs')
  const toFile = ({name}: DocsPage) => path.join(folder, name.replace(/\.md$/, '.html'))
  for (const each of new Set([...pages, page])) {
    makePrivateFolder(path.dirname(toFile(each)))
    replacePrivateFile(toFile(each), renderHtml(each, pages))
  }
  const url = pathToFileURL(toFile(page)).href
  return {url, problem: isOpening ? await openPageFile(toFile(page)) : undefined}
}
