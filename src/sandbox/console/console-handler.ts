// Handles requests to the console: shows its pages and runs the actions of their forms.
import {type ConsoleContext, type ConsolePage, createLink, paths} from '../../web/console/context.ts'
import {isConsolePage, renderPage, renderShell} from '../../web/console/routes.ts'
import {createPageReply} from '../../web/entrance.ts'
import {ControlError} from '../operations/control-error.ts'
import {createControls} from '../operations/controls.ts'
import {isEqualSecret} from '../../values/text.ts'
import {createSeal} from '../forms/links.ts'
import {createErrorPage, createMessagePage} from '../forms/form-pages.ts'
import {hasOwnOrigin} from '../http/exchange.ts'
import {ServiceError} from '../http/service-error.ts'
import {type Reply, createRedirect} from '../http/reply.ts'
import {getAssetPath} from '../http/assets.ts'
import type {PageRequest} from '../http/page-request.ts'
import type {Database} from '../store/database.ts'
import {type RequestContext, type SandboxEnvironment, openContexts} from '../service/request-context.ts'
import {type Refused, actions, findAction, getActionName, readInput, renderItemActions, runAction} from './actions.ts'
import {clockPath, renderClockPage} from './clock-page.ts'
import {createSandboxSource} from './source.ts'

// No page may show the console in a frame, even where the hosted forms are allowed in frames.
const noFrames = {frameAncestors: []}

const createCsrfToken = (database: Database) => createSeal(database, 'csrf', 'console')

const tabs = [{title: 'Clock', path: clockPath}]

// The pages with actions, and what these are about.
const subjects = {
  [paths.customer]: 'customer',
  [paths.account]: 'account',
  [paths.transaction]: 'transaction',
  [clockPath]: 'clock',
} as const

const findSubject = (path: string) =>
  Object.hasOwn(subjects, path) ? subjects[path as keyof typeof subjects] : undefined

// In process.
const noEntrance = {folder: '', isLetIn: () => true, enter: () => undefined}

const getFolder = ({consoleEntrance}: SandboxEnvironment): string => (consoleEntrance ?? noEntrance).folder

interface Notice {
  // What was done, or why it was not done.
  text: string
  refused?: Refused
}

function readDoneNotice(search: string): Notice | undefined {
  const done = new URLSearchParams(search).get('done')
  const action = actions.find((each) => getActionName(each) === done)
  return action && {text: action.doneMessage}
}

// Runs what is due, so that the page shows the present state, and then reads no other one, however long that takes.
async function showPage(pageRequest: PageRequest, notice = readDoneNotice(pageRequest.search)): Promise<Reply> {
  await pageRequest.operate(() => undefined, true)
  const {environment} = pageRequest
  return environment.database.readAsync((database) =>
    renderConsole(pageRequest, openContexts({...environment, database})(), notice),
  )
}

async function renderConsole(
  {environment, ...pageRequest}: PageRequest,
  requestContext: RequestContext,
  notice: Notice | undefined,
): Promise<Reply> {
  const {path, search} = pageRequest
  const settings = {csrf: createCsrfToken(requestContext.database), refused: notice?.refused}
  const context: ConsoleContext = {
    source: createSandboxSource(requestContext, environment.journal?.()),
    path,
    query: Object.fromEntries(new URLSearchParams(search)),
    now: requestContext.now,
    link: (at, parameters) => createLink(getFolder(environment), at, parameters),
    renderActions: (subject) => renderItemActions(subject, settings),
  }
  const page: ConsolePage =
    path === clockPath ? {title: 'Clock', body: renderClockPage(requestContext, settings)} : await renderPage(context)
  const text = renderShell(context, page, {
    stylesheet: getAssetPath('console.css'),
    script: getAssetPath('console.js'),
    tabs,
    notice: notice?.text,
    isError: notice?.refused !== undefined,
  })
  return createPageReply(notice?.refused ? 400 : (page.status ?? 200), text)
}

const foreignForm = {
  status: 403,
  title: 'This cannot be done',
  sentences: ['The request did not come from the current console page. Open the console again and repeat it there.'],
}

const notLetIn = {
  status: 403,
  title: 'This is not the address of the console',
  sentences: ['The console is opened by a link that works once, which svc sandbox start and svc console print.'],
}

const unknownPage = {
  status: 404,
  title: 'This page does not exist',
  sentences: ['The console has no such page. It begins at the root of the sandbox.'],
}

// The origin was checked before, so that a body of anybody else is never read.
async function handleAction(
  pageRequest: PageRequest,
  subject: (typeof subjects)[keyof typeof subjects],
): Promise<Reply> {
  const {environment, path, search} = pageRequest
  const posted = new URLSearchParams(Buffer.from(await pageRequest.request.body()).toString())
  if (!isEqualSecret(posted.get('csrf') ?? '', createCsrfToken(environment.database))) {
    return createMessagePage(foreignForm, noFrames)
  }
  const action = findAction(posted.get('do'), subject)
  if (!action) return createMessagePage(unknownPage, noFrames)
  const query = Object.fromEntries(new URLSearchParams(search))
  const input = readInput(action, posted)
  try {
    await runAction(action, createControls(environment), query['id'] ?? '', input)
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof ServiceError)) throw error
    return showPage(pageRequest, {text: `${error.message}.`, refused: {action, input}})
  }
  return createRedirect(createLink(getFolder(environment), path, {...query, done: getActionName(action)}))
}

// Other users of this machine can reach the port, but they have neither a link nor the cookie that it becomes.
async function handleRequest(outerRequest: PageRequest): Promise<Reply> {
  const {request, path} = outerRequest
  const {folder, ...entrance} = outerRequest.environment.consoleEntrance ?? noEntrance
  const entered = entrance.enter(request.method, path)
  if (entered) return entered
  if (!path.startsWith(`${folder}/`) || !entrance.isLetIn(request.header('cookie'))) {
    return createMessagePage(notLetIn, noFrames)
  }
  return handleInside({...outerRequest, path: path.slice(folder.length)})
}

async function handleInside(pageRequest: PageRequest): Promise<Reply> {
  const {request, path} = pageRequest
  const subject = findSubject(path)
  if (!isConsolePage(path) && path !== clockPath) return createMessagePage(unknownPage, noFrames)
  if (request.method === 'GET' || request.method === 'HEAD') return showPage(pageRequest)
  if (request.method !== 'POST' || !subject) {
    return createMessagePage({...unknownPage, status: 405}, noFrames, {allow: 'GET, HEAD'})
  }
  return hasOwnOrigin(request) ? handleAction(pageRequest, subject) : createMessagePage(foreignForm, noFrames)
}

export async function handleConsoleRequest(pageRequest: PageRequest): Promise<Reply> {
  const reply = await handleRequest(pageRequest).catch((error: unknown) =>
    createErrorPage(error, pageRequest, noFrames, 'Not done'),
  )
  return {...reply, isUnlogged: true}
}
