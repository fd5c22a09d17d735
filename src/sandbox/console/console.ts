// The console: a page about everything in the sandbox, and what becomes of the buttons that are pressed on it.
import {ControlError} from '../control-error.ts'
import {createControls} from '../controls.ts'
import {isSealValid, createSeal} from '../forms/links.ts'
import {createMessagePage} from '../forms/form-pages.ts'
import {ServiceError} from '../http/service-error.ts'
import type {Reply} from '../http/reply.ts'
import type {Visit} from '../pages/visit.ts'
import {createProof, proofPath} from '../server/server-address.ts'
import {isBusy, type Database} from '../store/database.ts'
import type {RequestContext} from '../request-context.ts'
import type {Action} from './action.ts'
import {actionById, carryOut, idOf, sureName} from './actions.ts'
import {readGiven} from './fields.ts'
import {type ConsolePage, consolePage, type Said} from './page.ts'
import {type Chosen, stateOf} from './state.ts'
import {addressOf} from './table.ts'

// Nobody else's page may show the console, whatever is allowed for the forms.
const alone = {frameAncestors: []}

const csrfOf = (database: Database) => createSeal(database, 'csrf', 'console')

function chosenIn(search: string): Chosen {
  const parameters = new URLSearchParams(search)
  const given = (name: keyof Chosen) => parameters.get(name) || undefined
  return {customer: given('customer'), account: given('account'), transaction: given('transaction')}
}

function doneIn(search: string): Said | undefined {
  const action = actionById(new URLSearchParams(search).get('done') ?? '')
  return action && {text: action.done}
}

// What was asked for may be gone, and the page is there all the same.
function differenceIn({environment: house, search}: Visit): ConsolePage['difference'] {
  const since = new URLSearchParams(search).get('since')
  if (!since) return undefined
  try {
    return {since, tables: createControls(house).snapshots.diff(since)}
  } catch (error) {
    if (error instanceof ControlError) return undefined
    throw error
  }
}

async function show(visit: Visit, said = doneIn(visit.search), status = 200): Promise<Reply> {
  const {environment: house, search} = visit
  const chosen = chosenIn(search)
  const difference = differenceIn(visit)
  const magic = createControls(house).verification.magic()
  const render = (turn: RequestContext) => {
    const desk = {csrf: csrfOf(turn.database), chosen}
    return consolePage({turn, state: stateOf(turn, chosen), desk, said, difference, magic, status})
  }
  return (await visit.operate(render)) as Reply
}

const strangeForm = {
  status: 403,
  title: 'This cannot be done',
  sentences: ['It did not come from the console as it is now. Open the console again and do it there.'],
}

async function act(visit: Visit, action: Action): Promise<Reply> {
  const {environment: house, search} = visit
  const sent = new URLSearchParams(Buffer.from(await visit.request.body()).toString())
  if (!isSealValid(sent.get('csrf') ?? '', csrfOf(house.database))) return createMessagePage(strangeForm, alone)
  const given = readGiven(action.fields, sent)
  try {
    carryOut(action, createControls(house), given, sent.get(sureName) === 'yes')
  } catch (error) {
    if (!(error instanceof ControlError || error instanceof ServiceError)) throw error
    return show(visit, {text: `${error.message}.`, isRefusal: true, action, given}, 400)
  }
  // A page that is loaded again must not do it again.
  const location = addressOf({...chosenIn(search), done: idOf(action)}, action.section)
  return {status: 303, headers: {location, 'cache-control': 'no-store'}, text: ''}
}

const folder = '/console/'

const unknownPage = {
  status: 404,
  title: 'There is no such page',
  sentences: ['The console is at the root of the sandbox.'],
}

function proof({environment: house, search}: Visit): Reply {
  const text = createProof(house.database, new URLSearchParams(search).get('of') ?? '')
  if (text === undefined) return createMessagePage(unknownPage, alone)
  return {status: 200, headers: {'content-type': 'text/plain', 'cache-control': 'no-store'}, text}
}

async function answer(visit: Visit): Promise<Reply> {
  const {request: asked, path} = visit
  const isRead = asked.method === 'GET' || asked.method === 'HEAD'
  if (path === '/') {
    return isRead ? show(visit) : createMessagePage({...unknownPage, status: 405}, alone, {allow: 'GET, HEAD'})
  }
  if (path === proofPath) return proof(visit)
  const action = actionById(path.slice(folder.length))
  if (!action) return createMessagePage(unknownPage, alone)
  // Whoever loads the address of a button comes back to the page.
  if (isRead) return {status: 303, headers: {location: addressOf({...chosenIn(visit.search)})}, text: ''}
  return asked.method === 'POST' ? act(visit, action) : createMessagePage({...unknownPage, status: 405}, alone)
}

function pageFor(error: unknown, visit: Visit): Reply {
  const sentences = ['Go back, and try again in a moment.']
  if (error instanceof ServiceError) {
    return createMessagePage({status: error.toReply().status, title: 'Not done', sentences: [error.message]}, alone)
  }
  if (isBusy(error)) return createMessagePage({status: 503, title: 'The sandbox is busy', sentences}, alone)
  visit.onFault(error)
  return createMessagePage({status: 500, title: 'Something went wrong in the sandbox', sentences}, alone)
}

export async function answerConsole(visit: Visit): Promise<Reply> {
  const reply = await answer(visit).catch((error: unknown) => pageFor(error, visit))
  return {...reply, isUnlogged: true}
}
