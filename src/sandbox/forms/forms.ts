// The hosted forms: what a browser gets at the addresses in verificationLink and bankAccountFormLink, and what becomes of
// what it sends.
import {type Problem, problemsIn} from '../../contract/problems.ts'
import {badRequest, ServiceError} from '../http/refusal.ts'
import type {Reply} from '../http/reply.ts'
import type {Visit} from '../pages/visit.ts'
import {isBusy} from '../store/database.ts'
import type {RequestContext} from '../request-context.ts'
import {bankAccountForm} from './bank-account.ts'
import {finderIn} from './fields.ts'
import {answerFile} from './files.ts'
import {acted, bodyFrom, complete, earlierIn, enteredBy, fileProblems, shownWith} from './filling.ts'
import {type HostedForm, isState, type OpenedForm} from './hosted-form.ts'
import {type FormKind, isSeal, linkLifetimeDays, openLink, sealOf} from './links.ts'
import {formPage, messagePage, statePage} from './pages.ts'
import {type Posted, readPosted} from './posted.ts'
import {forgetUploads} from './uploads.ts'
import {verificationForm} from './verification.ts'

const forms: Readonly<Record<FormKind, HostedForm>> = {verify: verificationForm, 'bank-account': bankAccountForm}

const methods = 'GET, HEAD, POST'
const fileName = 'file'

// One visit, with the form that its link is about.
interface Call {
  visit: Visit
  form: HostedForm
  // The last piece of the link, with its seal.
  linkPiece: string
}

// A page that says why there is no form; thrown, since it ends whatever was under way.
class NoForm extends Error {
  readonly reply: Reply
  constructor(reply: Reply) {
    super('There is no form to show')
    this.reply = reply
  }
}

const unknownLink = {
  status: 404,
  title: 'This link is not known',
  sentences: ['Check that the whole address was copied, or ask whoever sent it for a new one.'],
}

const expiredLink = {
  status: 410,
  title: 'This link has expired',
  sentences: [
    `A link works for ${linkLifetimeDays} days. Nothing that was sent is lost.`,
    'Ask whoever sent it for a new one.',
  ],
}

const strangeForm = {
  status: 403,
  title: 'This form cannot be taken',
  sentences: ['It did not come from the page that belongs to this link. Open the link again and fill it in there.'],
}

// The token of a link that works.
function tokenOf(turn: RequestContext, {linkPiece, visit}: Call): string {
  const link = openLink(turn, linkPiece)
  if (!link) throw new NoForm(messagePage(unknownLink, visit))
  if (link.hasExpired) throw new NoForm(messagePage(expiredLink, visit))
  return link.formToken
}

function opened(turn: RequestContext, call: Call) {
  const formToken = tokenOf(turn, call)
  const form = call.form.open(turn, formToken)
  if (!form) throw new NoForm(messagePage(unknownLink, call.visit))
  return {formToken, form}
}

const csrfOf = ({database}: RequestContext, formToken: string) => sealOf(database, 'csrf', formToken)

interface Outcome {
  problems: readonly Problem[]
  status: number
}

// The form as it stands: as it was opened, or as it was sent and could not be taken.
function show(
  turn: RequestContext,
  call: Call,
  posted?: Posted,
  {problems, status}: Outcome = {problems: [], status: 200},
): Reply {
  const {visit} = call
  const {formToken, form} = opened(turn, call)
  if (isState(form))
    return statePage(form, visit, posted && 'What you sent was not taken, since nothing is asked for now')
  const fileAddress = (reference: string) => `${visit.path}/${fileName}?of=${encodeURIComponent(reference)}`
  const entered = posted ? enteredAfter(turn, formToken, form, posted) : earlierIn(form)
  // A button that adds or removes is no attempt to send, but a file that had to be given up is said all the same.
  const said = posted && posted.action.name !== 'submit' ? fileProblems(entered) : problems
  const shown = shownWith(entered, form, said, fileAddress)
  return formPage({opened: form, csrf: csrfOf(turn, formToken), status, ...shown}, visit)
}

function enteredAfter(turn: RequestContext, formToken: string, form: OpenedForm, posted: Posted) {
  const entered = enteredBy(turn, formToken, form, posted, true)
  // Items are numbered as they were when they were judged.
  return posted.action.name === 'submit' ? complete(entered, form) : acted(entered, posted.action, form)
}

// The very way that a PATCH goes: the contract judges the body, and then the handler takes it or refuses it.
function submit(turn: RequestContext, call: Call, posted: Posted): void {
  const {formToken, form} = opened(turn, call)
  if (isState(form)) throw new ServiceError('PATCH_NOT_ALLOWED', form.title)
  const entered = complete(enteredBy(turn, formToken, form, posted, false), form)
  const body = bodyFrom(entered, form, posted.unknown)
  const [first, ...others] = problemsIn(form.schema, body)
  if (first) throw badRequest(first, ...others)
  form.take(turn, body)
  forgetUploads(turn.database, formToken)
}

async function taken(call: Call, posted: Posted): Promise<Outcome | undefined> {
  try {
    await call.visit.operate((turn) => submit(turn, call, posted))
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.error !== 'BAD_REQUEST' && error.error !== 'PATCH_NOT_ALLOWED'))
      throw error
    return {problems: error.problems, status: error.toReply().status}
  }
}

async function post(call: Call): Promise<Reply> {
  const {visit} = call
  const operate = visit.operate as <T>(work: (turn: RequestContext) => T) => Promise<T>
  const {nodes, csrf} = await operate((turn) => {
    const formToken = tokenOf(turn, call)
    return {nodes: call.form.nodes(turn, formToken), csrf: csrfOf(turn, formToken)}
  })
  const posted = await readPosted(visit.asked, finderIn(nodes))
  if (!isSeal(posted.csrf, csrf)) return messagePage(strangeForm, visit)
  const refused = posted.action.name === 'submit' ? await taken(call, posted) : {problems: [], status: 200}
  // A page that is loaded again must not send the form again.
  if (!refused) return {status: 303, headers: {location: `${visit.path}#main`, 'cache-control': 'no-store'}, text: ''}
  return operate((turn) => show(turn, call, posted, refused))
}

function file(turn: RequestContext, call: Call): Reply {
  const {formToken, form} = opened(turn, call)
  const reference = new URLSearchParams(call.visit.search).get('of') ?? ''
  return (!isState(form) && answerFile(turn, formToken, form, reference)) || messagePage(unknownLink, call.visit)
}

async function answer(call: Call, isFile: boolean): Promise<Reply> {
  const {asked, operate} = call.visit
  if (asked.method === 'GET' || asked.method === 'HEAD') {
    return (await operate((turn) => (isFile ? file(turn, call) : show(turn, call)))) as Reply
  }
  if (asked.method === 'POST' && !isFile) return post(call)
  const notOffered = {
    status: 405,
    title: 'This is a form',
    sentences: ['Open it in a browser, fill it in and send it.'],
  }
  return messagePage(notOffered, call.visit, {allow: methods})
}

function pageFor(error: unknown, visit: Visit): Reply {
  if (error instanceof NoForm) return error.reply
  if (error instanceof ServiceError) {
    return messagePage(
      {status: error.toReply().status, title: 'This could not be taken', sentences: [error.message]},
      visit,
    )
  }
  const again = ['Nothing was taken. Go back, and try again in a moment.']
  if (isBusy(error)) return messagePage({status: 503, title: 'The sandbox is busy', sentences: again}, visit)
  visit.onFault(error)
  return messagePage({status: 500, title: 'Something went wrong in the sandbox', sentences: again}, visit)
}

const pathPattern = /^\/(verify|bank-account)\/([^/]+)(\/file)?$/

export async function answerForm(visit: Visit, folder: string): Promise<Reply> {
  const [, kind, linkPiece, isFile] = pathPattern.exec(visit.path.slice(folder.length)) ?? []
  if (kind === undefined || linkPiece === undefined) return messagePage(unknownLink, visit)
  try {
    return await answer({visit, form: forms[kind as FormKind], linkPiece}, isFile !== undefined)
  } catch (error) {
    return pageFor(error, visit)
  }
}
