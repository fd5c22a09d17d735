// Finds the page at a path. Pages are for browsers and need no API key.
import {isSealValid} from '../forms/links.ts'
import type {SandboxRequest} from './exchange.ts'
import type {Reply} from './reply.ts'
import type {SandboxEnvironment} from '../service/request-context.ts'
import {findAsset} from './assets.ts'
import type {PageRequest} from './page-request.ts'

type PageHandler = (pageRequest: PageRequest) => Promise<Reply>

const formPath = /^\/(?:verify|bank-account)\//

// Every request asks for it, and it rarely changes.
let lastForms = {url: '', folder: ''}

function getFormsFolder({formsUrl}: SandboxEnvironment): string {
  if (lastForms.url !== formsUrl) {
    lastForms = {url: formsUrl, folder: (URL.parse(formsUrl)?.pathname ?? '').replace(/\/+$/, '')}
  }
  return lastForms.folder
}

// The handlers are imported on request, because most processes never serve a page.
function findForm(environment: SandboxEnvironment, path: string): PageHandler | undefined {
  const folder = getFormsFolder(environment)
  if (!path.startsWith(folder) || !formPath.test(path.slice(folder.length))) return undefined
  return async (pageRequest) => (await import('../forms/form-handler.ts')).handleFormRequest(pageRequest, folder)
}

// Nobody but the console's own addresses has its token.
function hasConsoleToken({consoleToken}: SandboxEnvironment, {target}: SandboxRequest): boolean {
  const [, search] = target.split('?', 2)
  if (consoleToken === undefined || search === undefined) return false
  return isSealValid(new URLSearchParams(search).get('token') ?? '', consoleToken)
}

// The root is the console for a browser, and for any client that has the token. Another client that accepts JSON is answered
// as at any other path.
const isConsolePath = (environment: SandboxEnvironment, path: string, request: SandboxRequest) =>
  path.startsWith('/console/') ||
  (path === '/' && /\btext\/html\b/.test(request.header('accept') ?? '')) ||
  hasConsoleToken(environment, request)

const findConsole = (environment: SandboxEnvironment, path: string, request: SandboxRequest): PageHandler | undefined =>
  isConsolePath(environment, path, request)
    ? async (pageRequest) => (await import('../console/console-handler.ts')).handleConsoleRequest(pageRequest)
    : undefined

export const findPage = (
  environment: SandboxEnvironment,
  path: string,
  request: SandboxRequest,
): PageHandler | undefined => findAsset(path) ?? findConsole(environment, path, request) ?? findForm(environment, path)
