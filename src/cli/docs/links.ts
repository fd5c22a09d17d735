// How pages of docs/ are named, and where their links lead: to another page, or to the web.
import path from 'node:path'
import {pathToFileURL} from 'node:url'

// How a page of docs/ is named on the command line: by its file without the ending, or by the number of a numbered file.
export const toTopic = (name: string) => name.replace(/\.md$/, '').replace(/(^|\/)(\d+)-[^/]*$/, '$1$2')

interface Destination {
  // The page of docs/ that is meant, as it is typed after `svc docs`.
  topic?: string
  // Missing for a file inside of the single executable, which nothing else can open.
  url?: string
}

const isWeb = (target: string) => /^https?:/.test(target)

// A link inside the page leads nowhere else.
export function findDestination(
  {file, topic}: {file?: string; topic: string},
  target: string,
): Destination | undefined {
  if (isWeb(target)) return {url: target}
  const [name = ''] = target.split('#', 1)
  if (name === '') return undefined
  return {
    ...(file !== undefined && {url: pathToFileURL(path.resolve(path.dirname(file), name)).href}),
    ...(name.endsWith('.md') && {topic: toTopic(path.posix.join(path.posix.dirname(topic), name))}),
  }
}

const knownTerminals = /^(iTerm\.app|WezTerm|vscode|ghostty|Hyper|Tabby|rio)$/
const vteVersionMin = 5000

// Terminals do not say whether they know OSC 8, so those that do are listed. FORCE_HYPERLINK decides for others.
export function canShowLinks({
  FORCE_HYPERLINK,
  TERM_PROGRAM = '',
  TERM = '',
  VTE_VERSION,
  WT_SESSION,
  KITTY_WINDOW_ID,
}: NodeJS.ProcessEnv): boolean {
  if (FORCE_HYPERLINK !== undefined) return FORCE_HYPERLINK !== '0'
  if (TERM === 'dumb' || /^(screen|tmux)/.test(TERM)) return false
  return (
    knownTerminals.test(TERM_PROGRAM) ||
    /kitty|alacritty|foot|ghostty/.test(TERM) ||
    Number(VTE_VERSION) >= vteVersionMin ||
    Boolean(WT_SESSION ?? KITTY_WINDOW_ID)
  )
}

export const renderLink = (text: string, url: string) => `\u001B]8;;${url}\u0007${text}\u001B]8;;\u0007`
