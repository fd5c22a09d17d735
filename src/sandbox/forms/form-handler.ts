// Handles requests to the hosted forms, at the addresses in verificationLink and bankAccountFormLink.
import {type Problem, findProblems} from '../../contract/problems.ts'
import {ServiceError, throwIfProblems} from '../http/service-error.ts'
import type {Reply} from '../http/reply.ts'
import type {PageRequest} from '../pages/page-request.ts'
import {isBusy} from '../../storage/busy.ts'
import type {RequestContext} from '../request-context.ts'
import {bankAccountForm} from './bank-account-form.ts'
import {createFinder} from './fields.ts'
import {createFileReply} from './file-reply.ts'
import {buildFeedback, listFileProblems} from './form-feedback.ts'
import {createFormPage, createMessagePage, createStatePage} from './form-pages.ts'
import {applyAction, dropBlankItems, readEarlierValues, readPostedValues, toBody} from './form-submission.ts'
import {type HostedForm, isFormState, type OpenedForm} from './hosted-form.ts'
import {createSeal, type FormKind, isSealValid, linkLifetimeDays, verifyLink} from './links.ts'
import {type PostedForm, readPostedForm} from './posted-form.ts'
import {deleteUploads} from './uploads.ts'
import {verificationForm} from './verification-form.ts'

const forms: Readonly<Record<FormKind, HostedForm>> = {verify: verificationForm, 'bank-account': bankAccountForm}

const methods = 'GET, HEAD, POST'
const fileName = 'file'

interface FormRequest {
  pageRequest: PageRequest
  form: HostedForm
  // The last segment of the link: the form's token, its last day and a seal.
  sealedToken: string
}

// Carries the page that explains why there is no form. Thrown, because it ends the current operation.
class FormUnavailable extends Error {
  readonly reply: Reply
  constructor(reply: Reply) {
    super('There is no form to show')
    this.reply = reply
  }
}

const unknownLink = {
  status: 404,
  title: 'This link does not work',
  sentences: ['Check that you copied the whole address, or ask the sender for a new link.'],
}

const expiredLink = {
  status: 410,
  title: 'This link has expired',
  sentences: [
    `Links work for ${linkLifetimeDays} days. What you have sent already is not lost.`,
    'Ask the sender for a new link.',
  ],
}

const foreignForm = {
  status: 403,
  title: 'This form cannot be accepted',
  sentences: ['It was not sent from the page of this link. Open the link again and fill in the form there.'],
}

function readFormToken(context: RequestContext, {sealedToken, pageRequest}: FormRequest): string {
  const link = verifyLink(context, sealedToken)
  if (!link) throw new FormUnavailable(createMessagePage(unknownLink, pageRequest))
  if (link.hasExpired) throw new FormUnavailable(createMessagePage(expiredLink, pageRequest))
  return link.formToken
}

function openForm(context: RequestContext, formRequest: FormRequest) {
  const formToken = readFormToken(context, formRequest)
  const form = formRequest.form.open(context, formToken)
  if (!form) throw new FormUnavailable(createMessagePage(unknownLink, formRequest.pageRequest))
  return {formToken, form}
}

const createCsrfToken = ({database}: RequestContext, formToken: string) => createSeal(database, 'csrf', formToken)

interface SubmitFailure {
  problems: readonly Problem[]
  status: number
}

// Shows the form as it was opened, or as it was posted if it was not accepted.
function showForm(
  context: RequestContext,
  formRequest: FormRequest,
  posted?: PostedForm,
  {problems, status}: SubmitFailure = {problems: [], status: 200},
): Reply {
  const {pageRequest} = formRequest
  const {formToken, form} = openForm(context, formRequest)
  if (isFormState(form))
    return createStatePage(
      form,
      pageRequest,
      posted && 'What you sent was not accepted, because nothing is needed from you now',
    )
  const fileAddress = (reference: string) => `${pageRequest.path}/${fileName}?of=${encodeURIComponent(reference)}`
  const values = posted ? applyPostedAction(context, formToken, form, posted) : readEarlierValues(form)
  // Adding or removing an item is not an attempt to submit, but problems with files are shown immediately.
  const shownProblems = posted && posted.action.name !== 'submit' ? listFileProblems(values) : problems
  const feedback = buildFeedback(values, form, shownProblems, fileAddress)
  return createFormPage({opened: form, csrf: createCsrfToken(context, formToken), status, ...feedback}, pageRequest)
}

function applyPostedAction(context: RequestContext, formToken: string, form: OpenedForm, posted: PostedForm) {
  const values = readPostedValues(context, formToken, form, posted, true)
  // The problems refer to the items without the blank ones.
  return posted.action.name === 'submit' ? dropBlankItems(values, form) : applyAction(values, posted.action, form)
}

// Works exactly like a PATCH: the contract validates the body, then the handler accepts or rejects it.
function submitForm(context: RequestContext, formRequest: FormRequest, posted: PostedForm): void {
  const {formToken, form} = openForm(context, formRequest)
  if (isFormState(form)) throw new ServiceError('PATCH_NOT_ALLOWED', form.title)
  const values = dropBlankItems(readPostedValues(context, formToken, form, posted, false), form)
  const body = toBody(values, form, posted.unknown)
  throwIfProblems(findProblems(form.schema, body))
  form.accept(context, body)
  deleteUploads(context.database, formToken)
}

async function trySubmit(formRequest: FormRequest, posted: PostedForm): Promise<SubmitFailure | undefined> {
  try {
    await formRequest.pageRequest.operate((context) => submitForm(context, formRequest, posted))
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.error !== 'BAD_REQUEST' && error.error !== 'PATCH_NOT_ALLOWED'))
      throw error
    return {problems: error.problems, status: error.toReply().status}
  }
}

async function handlePost(formRequest: FormRequest): Promise<Reply> {
  const {pageRequest} = formRequest
  const operate = pageRequest.operate as <T>(work: (context: RequestContext) => T) => Promise<T>
  const {nodes, csrf} = await operate((context) => {
    const formToken = readFormToken(context, formRequest)
    return {nodes: formRequest.form.nodes(context, formToken), csrf: createCsrfToken(context, formToken)}
  })
  const posted = await readPostedForm(pageRequest.request, createFinder(nodes))
  if (!isSealValid(posted.csrf, csrf)) return createMessagePage(foreignForm, pageRequest)
  const failure = posted.action.name === 'submit' ? await trySubmit(formRequest, posted) : {problems: [], status: 200}
  // The redirect keeps a page reload from submitting the form again.
  if (!failure)
    return {status: 303, headers: {location: `${pageRequest.path}#main`, 'cache-control': 'no-store'}, text: ''}
  return operate((context) => showForm(context, formRequest, posted, failure))
}

function handleFile(context: RequestContext, formRequest: FormRequest): Reply {
  const {formToken, form} = openForm(context, formRequest)
  const reference = new URLSearchParams(formRequest.pageRequest.search).get('of') ?? ''
  return (
    (!isFormState(form) && createFileReply(context, formToken, form, reference)) ||
    createMessagePage(unknownLink, formRequest.pageRequest)
  )
}

async function handleRequest(formRequest: FormRequest, isFile: boolean): Promise<Reply> {
  const {request, operate} = formRequest.pageRequest
  if (request.method === 'GET' || request.method === 'HEAD') {
    return (await operate((context) =>
      isFile ? handleFile(context, formRequest) : showForm(context, formRequest),
    )) as Reply
  }
  if (request.method === 'POST' && !isFile) return handlePost(formRequest)
  const notOffered = {
    status: 405,
    title: 'This is a form',
    sentences: ['Open it in a browser, fill it in and send it.'],
  }
  return createMessagePage(notOffered, formRequest.pageRequest, {allow: methods})
}

function toErrorPage(error: unknown, pageRequest: PageRequest): Reply {
  if (error instanceof FormUnavailable) return error.reply
  if (error instanceof ServiceError) {
    return createMessagePage(
      {status: error.toReply().status, title: 'This could not be accepted', sentences: [error.message]},
      pageRequest,
    )
  }
  const again = ['Nothing was saved. Go back and try again in a moment.']
  if (isBusy(error))
    return createMessagePage({status: 503, title: 'The sandbox is busy', sentences: again}, pageRequest)
  pageRequest.onFault(error)
  return createMessagePage({status: 500, title: 'Something went wrong in the sandbox', sentences: again}, pageRequest)
}

const pathPattern = /^\/(verify|bank-account)\/([^/]+)(\/file)?$/

export async function handleFormRequest(pageRequest: PageRequest, folder: string): Promise<Reply> {
  const [, kind, sealedToken, isFile] = pathPattern.exec(pageRequest.path.slice(folder.length)) ?? []
  if (kind === undefined || sealedToken === undefined) return createMessagePage(unknownLink, pageRequest)
  try {
    return await handleRequest({pageRequest, form: forms[kind as FormKind], sealedToken}, isFile !== undefined)
  } catch (error) {
    return toErrorPage(error, pageRequest)
  }
}
