// The console: a page about everything in the sandbox, and what becomes of the buttons that are pressed on it.
import {ControlError} from '../control-error.ts'
import {createControls} from '../controls.ts'
import {isSealValid, createSeal} from '../forms/links.ts'
import {createMessagePage} from '../forms/form-pages.ts'
import {ServiceError} from '../http/service-error.ts'
import type {Reply} from '../http/reply.ts'
import type {PageRequest} from '../pages/page-request.ts'
import {createProof, proofPath} from '../server/server-address.ts'
import {isBusy} from '../../storage/busy.ts'
import type {Database} from '../store/database.ts'
import type {RequestContext} from '../request-context.ts'
import type {Action} from './action.ts'
import {findAction, runAction, toActionId, confirmName} from './actions.ts'
import {readInput} from './action-fields.ts'
import {type ConsolePage, createConsolePage, type Notice} from './console-page.ts'
import {type Selection, readConsoleState} from './state.ts'
import {toConsoleUrl} from './table.ts'

// Nobody else's page may show the console, whatever is allowed for the forms.
const noFrames = {frameAncestors: []}

const createCsrfToken = (database: Database) => createSeal(database, 'csrf', 'console')

function readSelection(search: string): Selection {
  const parameters = new URLSearchParams(search)
  const input = (name: keyof Selection) => parameters.get(name) || undefined
  return {customer: input('customer'), account: input('account'), transaction: input('transaction')}
}

function readDoneNotice(search: string): Notice | undefined {
  const action = findAction(new URLSearchParams(search).get('done') ?? '')
  return action && {text: action.doneMessage}
}

// What was asked for may be gone, and the page is there all the same.
function readDifference({environment: house, search}: PageRequest): ConsolePage['difference'] {
  const since = new URLSearchParams(search).get('since')
  if (!since) return undefined
  try {
    return {since, tables: createControls(house).snapshots.diff(since)}
  } catch (error) {
    if (error instanceof ControlError) return undefined
    throw error
  }
}

async function showConsole(
  pageRequest: PageRequest,
  notice = readDoneNotice(pageRequest.search),
  status = 200,
): Promise<Reply> {
  const {environment: house, search} = pageRequest
  const chosen = readSelection(search)
  const difference = readDifference(pageRequest)
  const magic = createControls(house).verification.magic()
  const render = (turn: RequestContext) => {
    const forms = {csrf: createCsrfToken(turn.database), chosen}
    return createConsolePage({
      context: turn,
      state: readConsoleState(turn, chosen),
      forms,
      notice,
      difference,
      magic,
      status,
    })
  }
  return (await pageRequest.operate(render)) as Reply
}

const foreignForm = {
  status: 403,
  title: 'This cannot be done',
  sentences: ['It did not come from the console as it is now. Open the console again and do it there.'],
}

async function handleAction(pageRequest: PageRequest, action: Action): Promise<Reply> {
  const {environment: house, search} = pageRequest
  const sent = new URLSearchParams(Buffer.from(await pageRequest.request.body()).toString())
  if (!isSealValid(sent.get('csrf') ?? '', createCsrfToken(house.database)))
    return createMessagePage(foreignForm, noFrames)
  const input = readInput(action.fields, sent)
  try {
    runAction(action, createControls(house), input, sent.get(confirmName) === 'yes')
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof ServiceError)) throw error
    return showConsole(pageRequest, {text: `${error.message}.`, isRefusal: true, action, input}, 400)
  }
  // A page that is loaded again must not do it again.
  const location = toConsoleUrl({...readSelection(search), done: toActionId(action)}, action.section)
  return {status: 303, headers: {location, 'cache-control': 'no-store'}, text: ''}
}

const folder = '/console/'

const unknownPage = {
  status: 404,
  title: 'There is no such page',
  sentences: ['The console is at the root of the sandbox.'],
}

function createProofReply({environment: house, search}: PageRequest): Reply {
  const text = createProof(house.database, new URLSearchParams(search).get('of') ?? '')
  if (text === undefined) return createMessagePage(unknownPage, noFrames)
  return {status: 200, headers: {'content-type': 'text/plain', 'cache-control': 'no-store'}, text}
}

async function handleRequest(pageRequest: PageRequest): Promise<Reply> {
  const {request: asked, path} = pageRequest
  const isRead = asked.method === 'GET' || asked.method === 'HEAD'
  if (path === '/') {
    return isRead
      ? showConsole(pageRequest)
      : createMessagePage({...unknownPage, status: 405}, noFrames, {allow: 'GET, HEAD'})
  }
  if (path === proofPath) return createProofReply(pageRequest)
  const action = findAction(path.slice(folder.length))
  if (!action) return createMessagePage(unknownPage, noFrames)
  // Whoever loads the address of a button comes back to the page.
  if (isRead) return {status: 303, headers: {location: toConsoleUrl({...readSelection(pageRequest.search)})}, text: ''}
  return asked.method === 'POST'
    ? handleAction(pageRequest, action)
    : createMessagePage({...unknownPage, status: 405}, noFrames)
}

function toErrorPage(error: unknown, pageRequest: PageRequest): Reply {
  const sentences = ['Go back, and try again in a moment.']
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
