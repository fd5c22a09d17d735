// Handles requests to the hosted forms, at the addresses in verificationLink and bankAccountFormLink.
import type {Problem} from '../../contract/problems.ts'
import {isEqualSecret} from '../../values/text.ts'
import type {PageRequest} from '../http/page-request.ts'
import {type Reply, createRedirect} from '../http/reply.ts'
import {ServiceError, throwIfProblems} from '../http/service-error.ts'
import type {RequestContext} from '../service/request-context.ts'
import {openBankAccountForm} from './bank-account-form.ts'
import {buildFeedback, findProblems} from './form-feedback.ts'
import {type Message, createErrorPage, createFormPage, createMessagePage, createStatePage} from './form-pages.ts'
import {
  applyAction,
  completePhoneNumbers,
  readEarlierValues,
  readPostedValues,
  removeBlankItems,
} from './form-values.ts'
import {type OpenHostedForm, isFormState} from './hosted-form.ts'
import {type FormKind, createSeal, linkLifetimeDays, verifyLink} from './links.ts'
import {type Entry, findControl, readAction, readEntries} from './posted-form.ts'
import {openVerificationForm} from './verification-form.ts'

const forms: Readonly<Record<FormKind, OpenHostedForm>> = {
  verify: openVerificationForm,
  'bank-account': openBankAccountForm,
}

const methods = 'GET, HEAD, POST'

interface FormRequest {
  pageRequest: PageRequest
  open: OpenHostedForm
  // The last segment of the link: the form's token, its last day and a seal.
  sealedToken: string
}

// Says why there is no form. Thrown, because it ends the current operation.
class FormUnavailable extends Error {
  readonly page: Message
  constructor(page: Message) {
    super(page.title)
    this.page = page
  }
}

const unknownLink: Message = {
  status: 404,
  title: 'This link does not work',
  sentences: ['Check that you copied the whole address, or ask the sender for a new link.'],
}

const expiredLink: Message = {
  status: 410,
  title: 'This link has expired',
  sentences: [
    `Links work for ${linkLifetimeDays} days. What you have sent already is not lost.`,
    'Ask the sender for a new link.',
  ],
}

const foreignForm: Message = {
  status: 403,
  title: 'This form cannot be accepted',
  sentences: ['It was not sent from the page of this link. Open the link again and fill in the form there.'],
}

const otherMethod: Message = {
  status: 405,
  title: 'This is a form',
  sentences: ['Open it in a browser, fill it in and send it.'],
}

function openForm(context: RequestContext, {sealedToken, open}: FormRequest) {
  const link = verifyLink(context, sealedToken)
  if (!link) throw new FormUnavailable(unknownLink)
  if (link.hasExpired) throw new FormUnavailable(expiredLink)
  const opened = open(context, link.formToken)
  if (!opened) throw new FormUnavailable(unknownLink)
  return {opened, csrf: createSeal(context.database, 'csrf', link.formToken)}
}

function openPosted(context: RequestContext, formRequest: FormRequest, entries: readonly Entry[]) {
  const form = openForm(context, formRequest)
  if (!isEqualSecret(findControl(entries, 'csrf'), form.csrf)) throw new FormUnavailable(foreignForm)
  return form
}

function showForm(context: RequestContext, formRequest: FormRequest): Reply {
  const {opened, csrf} = openForm(context, formRequest)
  if (isFormState(opened)) return createStatePage(opened, formRequest.pageRequest)
  const feedback = buildFeedback(readEarlierValues(opened), opened, [])
  return createFormPage({opened, csrf, status: 200, ...feedback}, formRequest.pageRequest)
}

const refusal = 'What you sent was not accepted, because nothing is needed from you now'

interface SubmitFailure {
  problems: readonly Problem[]
  status: number
}

// Shows what was posted again: with an item more or less, or with what is wrong in it.
function showPosted(
  context: RequestContext,
  formRequest: FormRequest,
  entries: readonly Entry[],
  {problems, status}: SubmitFailure,
): Reply {
  const {opened, csrf} = openPosted(context, formRequest, entries)
  if (isFormState(opened)) return createStatePage(opened, formRequest.pageRequest, refusal)
  const values = applyAction(readPostedValues(entries, opened), readAction(entries), opened)
  const feedback = buildFeedback(values, opened, problems)
  return createFormPage({opened, csrf, status, ...feedback}, formRequest.pageRequest)
}

// Works exactly like a PATCH: the contract validates the body, then the handler accepts or rejects it.
function submitForm(context: RequestContext, formRequest: FormRequest, entries: readonly Entry[]): void {
  const {opened} = openPosted(context, formRequest, entries)
  if (isFormState(opened)) throw new ServiceError('PATCH_NOT_ALLOWED', opened.title)
  const values = removeBlankItems(readPostedValues(entries, opened), opened)
  const body = completePhoneNumbers(values, opened.nodes)
  throwIfProblems(findProblems(context, opened, body))
  opened.accept(context, body)
}

async function trySubmit(formRequest: FormRequest, entries: readonly Entry[]): Promise<SubmitFailure | undefined> {
  try {
    await formRequest.pageRequest.operate((context) => submitForm(context, formRequest, entries))
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.error !== 'BAD_REQUEST' && error.error !== 'PATCH_NOT_ALLOWED'))
      throw error
    return {problems: error.problems, status: error.toReply().status}
  }
}

async function handlePost(formRequest: FormRequest): Promise<Reply> {
  const {request, operate, path} = formRequest.pageRequest
  const entries = await readEntries(request)
  const failure =
    readAction(entries).name === 'submit' ? await trySubmit(formRequest, entries) : {problems: [], status: 200}
  if (!failure) return createRedirect(path)
  return operate((context) => showPosted(context, formRequest, entries, failure))
}

async function handleRequest(formRequest: FormRequest): Promise<Reply> {
  const {pageRequest} = formRequest
  const {request, operate} = pageRequest
  if (request.method === 'POST') return handlePost(formRequest)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return createMessagePage(otherMethod, pageRequest, {allow: methods})
  }
  return operate((context) => showForm(context, formRequest))
}

const pathPattern = /^\/(verify|bank-account)\/([^/]+)$/

export async function handleFormRequest(pageRequest: PageRequest, folder: string): Promise<Reply> {
  const [, kind, sealedToken] = pathPattern.exec(pageRequest.path.slice(folder.length)) ?? []
  if (kind === undefined || sealedToken === undefined) return createMessagePage(unknownLink, pageRequest)
  try {
    return await handleRequest({pageRequest, open: forms[kind as FormKind], sealedToken})
  } catch (error) {
    if (error instanceof FormUnavailable) return createMessagePage(error.page, pageRequest)
    return createErrorPage(error, pageRequest, pageRequest, 'This could not be accepted')
  }
}
