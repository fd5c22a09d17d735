// Handles requests to the hosted forms, at the addresses in verificationLink and bankAccountFormLink.
import type {Problem} from '../../contract/problems.ts'
import {isBusy} from '../../storage/sqlite-error.ts'
import {documentFormats} from '../../values/documents.ts'
import {toIso} from '../../values/time.ts'
import {createPageHeaders} from '../../web/serve.ts'
import type {PageRequest} from '../http/page-request.ts'
import type {Reply} from '../http/reply.ts'
import {ServiceError, throwIfProblems} from '../http/service-error.ts'
import type {RequestContext} from '../service/request-context.ts'
import {bankAccountForm} from './bank-account-form.ts'
import {readBranding} from './branding.ts'
import {
  applyAction,
  deleteDraft,
  deleteUploads,
  dropBlankItems,
  findUpload,
  readDraft,
  readDraftVersion,
  readEarlierValues,
  readPostedValues,
  storeDraft,
  toBody,
} from './form-submission.ts'
import {createFinder} from '../../forms/fields.ts'
import {buildFeedback, listFileProblems} from './form-feedback.ts'
import {createFormPage, createMessagePage, createStatePage} from './form-pages.ts'
import {
  type Step,
  type StepView,
  assessSteps,
  chooseView,
  findAllProblems,
  formatStepView,
  listSteps,
  parseStepView,
  saveAndMove,
  saveInBackground,
  showStepsWith,
} from './steps.ts'
import {referenceToEarlier} from './form-values.ts'
import {type HostedForm, type OpenedForm, isFormState} from './hosted-form.ts'
import {type FormKind, createSeal, isSealValid, linkLifetimeDays, verifyLink} from './links.ts'
import {type PostedForm, readPostedForm} from './posted-form.ts'
import type {Remark} from './render-form.ts'
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
  const draft = posted ? undefined : readDraft(context, formToken, form)
  const values = posted
    ? applyPostedAction(context, formToken, form, posted)
    : (draft?.values ?? readEarlierValues(form))
  // Adding or removing an item is not an attempt to submit, but problems with files are shown immediately.
  const isChange = posted?.action.name === 'add' || posted?.action.name === 'remove'
  const feedback = buildFeedback(values, form, isChange ? listFileProblems(values) : problems, fileAddress)
  const steps = listSteps(form.nodes)
  const query = new URLSearchParams(pageRequest.search)
  const shown = posted
    ? choosePostedView(steps, posted, feedback.errors)
    : chooseView({
        steps,
        requested: query.get('step'),
        saved: draft?.step,
        corrections: feedback.corrections.map(({path}) => path),
      })
  if (posted) storeDraft(context, formToken, form, values, formatStepView(shown))
  return createFormPage(
    {
      opened: form,
      csrf: createCsrfToken(context, formToken),
      status,
      version: readDraftVersion(context, formToken, form),
      steps,
      states: assessSteps(context, form, values, feedback.view.issues.keys()),
      shown,
      savedAt: posted ? context.now : draft?.savedAt,
      isSaved: query.has('saved'),
      ...feedback,
    },
    pageRequest,
  )
}

// A form that was not accepted shows the steps in which something is wrong.
function choosePostedView(steps: readonly Step[], {step, action}: PostedForm, errors: readonly Remark[]): StepView {
  const view = parseStepView(step, steps) ?? {is: 'all'}
  if (view.is === 'all' || action.name !== 'submit') return view
  return showStepsWith(
    steps,
    errors.map(({path}) => path),
  )
}

function applyPostedAction(context: RequestContext, formToken: string, form: OpenedForm, posted: PostedForm) {
  const values = readPostedValues(context, formToken, form, posted, true)
  const {name} = posted.action
  if (name === 'add' || name === 'remove') return applyAction(values, posted.action, form)
  // The problems refer to the items without the blank ones.
  return dropBlankItems(values, form)
}

// Works exactly like a PATCH: the contract validates the body, then the handler accepts or rejects it.
function submitForm(context: RequestContext, formRequest: FormRequest, posted: PostedForm): void {
  const {formToken, form} = openForm(context, formRequest)
  if (isFormState(form)) throw new ServiceError('PATCH_NOT_ALLOWED', form.title)
  const values = dropBlankItems(readPostedValues(context, formToken, form, posted, false), form)
  throwIfProblems(findAllProblems(context, form, values, posted))
  form.accept(context, toBody(values, form, posted.unknown))
  deleteUploads(context.database, formToken)
  deleteDraft(context.database, formToken)
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
  const {name} = posted.action
  if (name === 'go' || name === 'next' || name === 'save') {
    return operate((context) => moveInForm(context, formRequest, posted))
  }
  if (name === 'autosave') return operate((context) => autosave(context, formRequest, posted))
  const failure = name === 'submit' ? await trySubmit(formRequest, posted) : {problems: [], status: 200}
  if (!failure) return createRedirect(pageRequest.path)
  return operate((context) => showForm(context, formRequest, posted, failure))
}

// The redirect keeps a page reload from submitting the form again.
const createRedirect = (location: string): Reply => ({
  status: 303,
  headers: {location, 'cache-control': 'no-store'},
  text: '',
})

function moveInForm(context: RequestContext, formRequest: FormRequest, posted: PostedForm): Reply {
  const {formToken, form} = openForm(context, formRequest)
  if (isFormState(form)) return showForm(context, formRequest, posted)
  const {target, isSaved, problems} = saveAndMove(context, formToken, form, posted)
  if (problems.length > 0) return showForm(context, formRequest, posted, {problems, status: 400})
  return createRedirect(`${formRequest.pageRequest.path}?step=${target}${isSaved ? '&saved=1' : ''}`)
}

// Answers the script of the page.
function autosave(context: RequestContext, formRequest: FormRequest, posted: PostedForm): Reply {
  const {formToken, form} = openForm(context, formRequest)
  const isSaved = !isFormState(form) && saveInBackground(context, formToken, form, posted)
  const headers = {'cache-control': 'no-store'}
  return isSaved
    ? {status: 200, headers, value: {savedAt: toIso(context.now)}}
    : {status: 409, headers, value: {message: 'The form was changed on another page since'}}
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

export async function handleFormRequest(received: PageRequest, folder: string): Promise<Reply> {
  const pageRequest = {...received, branding: readBranding(received.environment.database)}
  const [, kind, sealedToken, isFile] = pathPattern.exec(pageRequest.path.slice(folder.length)) ?? []
  if (kind === undefined || sealedToken === undefined) return createMessagePage(unknownLink, pageRequest)
  try {
    return await handleRequest({pageRequest, form: forms[kind as FormKind], sealedToken}, isFile !== undefined)
  } catch (error) {
    return toErrorPage(error, pageRequest)
  }
}

// Serves a file that was uploaded with a form, by the reference that the form has for it.
interface Content {
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

function readContent(
  context: RequestContext,
  formToken: string,
  opened: OpenedForm,
  reference: string,
): Content | undefined {
  if (!reference.startsWith(referenceToEarlier)) return findUpload(context, formToken, reference)
  const file = readEarlierValues(opened).files.get(reference.slice(referenceToEarlier.length))
  if (!file) return undefined
  const uri = file.toDataUri()
  return {type: file.type, bytes: Buffer.from(uri.slice(uri.indexOf(',') + 1), 'base64')}
}

// Serves only the formats that the interface accepts. Images are shown in the page, other files are downloaded, and the
// policy keeps content from running.
export function createFileReply(
  context: RequestContext,
  formToken: string,
  opened: OpenedForm,
  reference: string,
): Reply | undefined {
  const content = readContent(context, formToken, opened, reference)
  const format = documentFormats.find(({mime}) => mime === content?.type)
  if (!content || !format) return undefined
  return {
    status: 200,
    headers: {
      ...createPageHeaders(),
      'content-type': format.mime,
      'content-disposition': format.hasPixels ? 'inline' : 'attachment; filename="document.pdf"',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    },
    bytes: content.bytes,
  }
}
