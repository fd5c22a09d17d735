// Which paths are pages for people: these need no API key, and a browser shows them.
import type {SandboxRequest} from '../http/exchange.ts'
import type {Reply} from '../http/reply.ts'
import type {SandboxEnvironment} from '../request-context.ts'
import {assetAt} from './assets.ts'
import type {Visit} from './visit.ts'

type Page = (visit: Visit) => Promise<Reply>

const formPath = /^\/(?:verify|bank-account)\//

const formsFolder = ({formsUrl}: SandboxEnvironment) => (URL.parse(formsUrl)?.pathname ?? '').replace(/\/+$/, '')

// The pages themselves are loaded when somebody comes: most processes serve none.
function formAt(house: SandboxEnvironment, path: string): Page | undefined {
  const folder = formsFolder(house)
  if (!path.startsWith(folder) || !formPath.test(path.slice(folder.length))) return undefined
  return async (visit) => (await import('../forms/form-handler.ts')).handleFormRequest(visit, folder)
}

// Whoever asks for the root as a page gets the console; a client that asks for JSON is answered as at any other path.
const isConsole = (path: string, asked: SandboxRequest) =>
  path.startsWith('/console/') || (path === '/' && /\btext\/html\b/.test(asked.header('accept') ?? ''))

const consoleAt = (path: string, asked: SandboxRequest): Page | undefined =>
  isConsole(path, asked) ? async (visit) => (await import('../console/console.ts')).answerConsole(visit) : undefined

// The page at this path, or undefined where the path is none of a page.
export const pageAt = (house: SandboxEnvironment, path: string, asked: SandboxRequest): Page | undefined =>
  assetAt(path) ?? consoleAt(path, asked) ?? formAt(house, path)
