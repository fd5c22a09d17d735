// Which paths are pages for people: these need no API key, and a browser shows them.
import type {Asked} from '../http/exchange.ts'
import type {Reply} from '../http/reply.ts'
import type {operateTogether} from '../operation.ts'
import type {House} from '../request-context.ts'
import {assetAt} from './assets.ts'

// Somebody who came to a page, and what it takes to answer.
export interface Visit {
  house: House
  operate: ReturnType<typeof operateTogether>
  asked: Asked
  path: string
  search: string
  // Who may show pages in a frame.
  frameAncestors: readonly string[]
  // Hears of faults of the sandbox itself, which a page shows only as one.
  onFault: (error: unknown) => void
}

type Page = (visit: Visit) => Promise<Reply>

const formPath = /^\/(?:verify|bank-account)\//

const formsFolder = ({formsUrl}: House) => (URL.parse(formsUrl)?.pathname ?? '').replace(/\/+$/, '')

// The pages themselves are loaded when somebody comes: most processes serve none.
function formAt(house: House, path: string): Page | undefined {
  const folder = formsFolder(house)
  if (!path.startsWith(folder) || !formPath.test(path.slice(folder.length))) return undefined
  return async (visit) => (await import('../forms/forms.ts')).answerForm(visit, folder)
}

// Whoever asks for the root as a page gets the console; a client that asks for JSON is answered as at any other path.
const isConsole = (path: string, asked: Asked) =>
  path.startsWith('/console/') || (path === '/' && /\btext\/html\b/.test(asked.header('accept') ?? ''))

const consoleAt = (path: string, asked: Asked): Page | undefined =>
  isConsole(path, asked) ? async (visit) => (await import('../console/console.ts')).answerConsole(visit) : undefined

// The page at this path, or undefined where the path is none of a page.
export const pageAt = (house: House, path: string, asked: Asked): Page | undefined =>
  assetAt(path) ?? consoleAt(path, asked) ?? formAt(house, path)
