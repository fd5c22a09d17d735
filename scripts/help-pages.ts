// Renders the help of every command and topic for a pipe or a file, so that bin/run.js prints it without loading anything.
import type {HelpSource} from '../src/cli/help/help-source.ts'
import {renderQuickHelp} from '../src/cli/help/quick-help.ts'

export interface HelpPages {
  // All pages, one after the other.
  text: string
  // Where the page of these words is, such as `customers list`: its offset and its length, in bytes.
  index: Record<string, [offset: number, length: number]>
}

export async function renderHelpPages(source: HelpSource): Promise<HelpPages> {
  const names = [...Object.keys(source.topics), ...source.commands.map(({id}) => id)]
  const pages: HelpPages = {text: '', index: {}}
  for (const words of new Set(['', ...names.map((name) => name.replaceAll(':', ' '))])) {
    const argv = words === '' ? ['--help'] : [...words.split(' '), '--help']
    const page = await renderQuickHelp(argv, {}, source)
    if (page === undefined) continue
    pages.index[words] = [Buffer.byteLength(pages.text), Buffer.byteLength(page)]
    pages.text += page
  }
  return pages
}
