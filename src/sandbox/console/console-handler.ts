// Handles requests to the console: shows its pages and runs the actions of their forms.
import type {ConsoleContext, ConsolePage} from '../../web/console/context.ts'
import {isConsolePage, renderPage, renderShell} from '../../web/console/routes.ts'
import {createPageHeaders} from '../../web/serve.ts'
import type {Html} from '../../web/html.ts'
import {ControlError} from '../operations/control-error.ts'
import {createControls} from '../operations/controls.ts'
import {isSealValid, createSeal} from '../forms/links.ts'
import {createMessagePage} from '../forms/form-pages.ts'
import {hasOwnOrigin} from '../http/exchange.ts'
import {ServiceError} from '../http/service-error.ts'
import type {Reply} from '../http/reply.ts'
import {getAssetPath} from '../http/assets.ts'
import type {PageRequest} from '../http/page-request.ts'
import {createProof, proofPath} from '../http/server-address.ts'
import {isBusy} from '../../storage/sqlite-error.ts'
import type {Database} from '../store/database.ts'
import type {RequestContext} from '../service/request-context.ts'
import {type Action, confirmName, findAction, readInput, runAction, toActionId} from './actions.ts'
import {type Notice, renderControls, renderItemActions} from './console-page.ts'
import {createSandboxSource} from './source.ts'
import {type Selection, readConsoleState} from './state.ts'
import {controlsPath, toConsoleUrl, toSearch} from './table.ts'

// No page may show the console in a frame, even where the hosted forms are allowed in frames.
const noFrames = {frameAncestors: []}

const createCsrfToken = (database: Database) => createSeal(database, 'csrf', 'console')

function readSelection(search: string): Selection {
  const parameters = new URLSearchParams(search)
  const read = (name: keyof Selection) => parameters.get(name) || undefined
  return {customer: read('customer'), account: read('account'), transaction: read('transaction')}
}

function readDoneNotice(search: string): Notice | undefined {
  const action = findAction(new URLSearchParams(search).get('done') ?? '')
  return action && {text: action.doneMessage}
}

const tabs = [{title: 'Controls', path: controlsPath}]

// Runs what is due, so that the page shows the present state.
const readContext = async ({operate}: PageRequest) =>
  (await operate((requestContext) => ({...requestContext}))) as RequestContext

function createContext(pageRequest: PageRequest, requestContext: RequestContext): ConsoleContext {
  const {environment, path, search} = pageRequest
  const query = Object.fromEntries(new URLSearchParams(search))
  const {folder} = environment.consoleEntrance ?? noEntrance
  return {
    source: createSandboxSource(requestContext, environment.journal?.()),
    path,
    query,
    now: requestContext.now,
    link: (at, parameters = {}) => folder + at + toSearch(parameters),
    renderActions: (subject, id) =>
      renderItemActions(
        {
          forms: {
            csrf: createCsrfToken(requestContext.database),
            selection: {[subject]: id},
            from: path + toSearch({...query, done: undefined}),
          },
        },
        subject,
      ),
  }
}

const toReply = (
  context: ConsoleContext,
  page: ConsolePage,
  notice: Notice | undefined,
  status = page.status ?? 200,
): Reply => ({
  status,
  headers: {...createPageHeaders(), 'content-type': 'text/html; charset=utf-8'},
  text: renderShell(context, page, {
    stylesheet: getAssetPath('console.css'),
    script: getAssetPath('console.js'),
    tabs,
    notice: notice?.text,
    isError: notice?.isError ?? false,
  }),
})

async function showPage(pageRequest: PageRequest): Promise<Reply> {
  const context = createContext(pageRequest, await readContext(pageRequest))
  const page = await renderPage(context)
  if (page.location !== undefined) {
    return {status: 303, headers: {...createPageHeaders(), location: page.location}, text: ''}
  }
  return toReply(context, page, readDoneNotice(pageRequest.search))
}

async function showControls(
  pageRequest: PageRequest,
  notice = readDoneNotice(pageRequest.search),
  status = 200,
): Promise<Reply> {
  const {environment, search} = pageRequest
  const selection = readSelection(search)
  const magic = createControls(environment).verification.magic()
  const render = (context: RequestContext) => {
    const state = readConsoleState(context)
    const forms = {csrf: createCsrfToken(context.database), selection}
    return {context, body: renderControls({context, state, forms, notice, magic})}
  }
  const {context, body} = (await pageRequest.operate(render)) as {context: RequestContext; body: Html}
  const shown = createContext({...pageRequest, path: controlsPath}, context)
  return toReply(shown, {title: 'Controls', body}, notice, status)
}

const foreignForm = {
  status: 403,
  title: 'This cannot be done',
  sentences: ['The request did not come from the current console page. Open the console again and repeat it there.'],
}

const notLetIn = {
  status: 403,
  title: 'This is not the address of the console',
  sentences: [
    'The console is opened by a link that works once, which svc sandbox start and svc console print. Open that one, and enter this address into its search field.',
  ],
}

// In process.
const noEntrance = {folder: '', isLetIn: () => true, enter: () => undefined}

// The page from which an action was started. It must be one of the console's own.
function findReturnUrl({environment, search}: PageRequest, done: string): string | undefined {
  const parameters = new URLSearchParams(search)
  const [path = '', query = ''] = (parameters.get('from') ?? '').split('?')
  if (!isConsolePage(path)) return undefined
  const {folder} = environment.consoleEntrance ?? noEntrance
  return folder + path + toSearch({...Object.fromEntries(new URLSearchParams(query)), done})
}

// The origin was checked before, so that a body of anybody else is never read.
async function handleAction(pageRequest: PageRequest, action: Action): Promise<Reply> {
  const {environment, search} = pageRequest
  const posted = new URLSearchParams(Buffer.from(await pageRequest.request.body()).toString())
  if (!isSealValid(posted.get('csrf') ?? '', createCsrfToken(environment.database))) {
    return createMessagePage(foreignForm, noFrames)
  }
  const input = readInput(action.fields, posted)
  try {
    await runAction(action, createControls(environment), input, posted.get(confirmName) === 'yes')
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof ServiceError)) throw error
    return showControls(pageRequest, {text: `${error.message}.`, isError: true, action, input}, 400)
  }
  // The redirect keeps a page reload from running the action again.
  const done = toActionId(action)
  const location = findReturnUrl(pageRequest, done) ?? toConsoleUrl({...readSelection(search), done}, action.section)
  return {status: 303, headers: {location, 'cache-control': 'no-store'}, text: ''}
}

const actionsFolder = '/console/'

const unknownPage = {
  status: 404,
  title: 'This page does not exist',
  sentences: ['The console has no such page. It begins at the root of the sandbox.'],
}

function createProofReply({environment, search}: PageRequest): Reply {
  const text = createProof(environment.database, new URLSearchParams(search).get('of') ?? '')
  if (text === undefined) return createMessagePage(unknownPage, noFrames)
  return {status: 200, headers: {'content-type': 'text/plain', 'cache-control': 'no-store'}, text}
}

// Other users of this machine can reach the port, but they have neither a link nor the cookie that it becomes.
async function handleRequest(outerRequest: PageRequest): Promise<Reply> {
  const {request, path} = outerRequest
  if (path === proofPath) return createProofReply(outerRequest)
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
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  if (isConsolePage(path) || path === controlsPath) {
    if (!isRead) return createMessagePage({...unknownPage, status: 405}, noFrames, {allow: 'GET, HEAD'})
    return path === controlsPath ? showControls(pageRequest) : showPage(pageRequest)
  }
  if (!hasOwnOrigin(pageRequest.request)) return createMessagePage(foreignForm, noFrames)
  const action = path.startsWith(actionsFolder) ? findAction(path.slice(actionsFolder.length)) : undefined
  if (!action) return createMessagePage(unknownPage, noFrames)
  // Opening the address of an action leads back to the page.
  if (isRead) return {status: 303, headers: {location: toConsoleUrl({...readSelection(pageRequest.search)})}, text: ''}
  return request.method === 'POST'
    ? handleAction(pageRequest, action)
    : createMessagePage({...unknownPage, status: 405}, noFrames)
}

function toErrorPage(error: unknown, pageRequest: PageRequest): Reply {
  const sentences = ['Go back and try again in a moment.']
  if (error instanceof ServiceError) {
    return createMessagePage({status: error.toReply().status, title: 'Not done', sentences: [error.message]}, noFrames)
  }
  if (isBusy(error)) return createMessagePage({status: 503, title: 'The sandbox is busy', sentences}, noFrames)
  pageRequest.onFault(error)
  return createMessagePage({status: 500, title: 'Something went wrong in the sandbox', sentences}, noFrames)
}

export async function handleConsoleRequest(pageRequest: PageRequest): Promise<Reply> {
  const reply = await handleRequest(pageRequest).catch((error: unknown) => toErrorPage(error, pageRequest))
  return {...reply, isUnlogged: true}
}
