// The pages of a hosted form: the form itself, its state when there is nothing to fill in, and messages about links.
import type {Reply} from '../http/reply.ts'
import {type Content, html} from '../../web/html.ts'
import {renderServedPage} from '../../web/page.ts'
import {createPageHeaders} from '../../web/serve.ts'
import {getAssetPath} from '../http/assets.ts'
import {isBusy} from '../../storage/sqlite-error.ts'
import type {PageRequest} from '../http/page-request.ts'
import {ServiceError} from '../http/service-error.ts'
import type {FormState, OpenedForm} from './hosted-form.ts'
import {type FormView, type Remark, renderForm, renderSummary} from './render-form.ts'

const site = 'Sandbox'

interface FramePolicy {
  frameAncestors: readonly string[]
}

interface FormReply {
  title: string
  skip?: Content
  content: Content
  status: number
  headers?: Readonly<Record<string, string>>
}

const createReply = ({title, skip, content, status, headers}: FormReply, {frameAncestors}: FramePolicy): Reply => ({
  status,
  headers: {...createPageHeaders(frameAncestors), 'content-type': 'text/html; charset=utf-8', ...headers},
  text: renderServedPage({
    title: `${title} · ${site}`,
    body: html`${skip}
      <header class="site">
        <p><strong>${site}</strong>: nothing here is real. Do not enter real data.</p>
      </header>
      <main id="main">${content}</main>`,
    stylesheet: getAssetPath('page.css'),
  }),
})

// A page with a message and nothing to do.
export interface Message {
  status: number
  title: string
  sentences: readonly string[]
}

export const createMessagePage = (
  {status, title, sentences}: Message,
  policy: FramePolicy,
  headers: Readonly<Record<string, string>> = {},
): Reply => {
  const content = html`<div class="card">
    <h1>${title}</h1>
    ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
  </div>`
  return createReply({title, content, status, headers}, policy)
}

// `rejection` says why a posted form was not accepted.
export function createStatePage(
  {state, title, sentences, issues = []}: FormState,
  policy: FramePolicy,
  rejection?: string,
): Reply {
  const content = html`${rejection !== undefined && renderSummary('Your form was not accepted', [{message: rejection}])}
    <div class="card">
      <p class="state">${state}</p>
      <h1>${title}</h1>
      ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
      ${
        issues.length > 0 &&
        html`<h2>What was found</h2>
          <ul>
            ${issues.map(({message}) => html`<li>${message}</li>`)}
          </ul>`
      }
    </div>`
  return rejection === undefined
    ? createReply({title: `${state}: ${title}`, content, status: 200}, policy)
    : createReply({title: `Error: ${title}`, content, status: 400}, policy)
}

interface FormPageContent {
  opened: OpenedForm
  view: FormView
  csrf: string
  errors: readonly Remark[]
  corrections: readonly Remark[]
  status: number
}

export function createFormPage(
  {opened, view, csrf, errors, corrections, status}: FormPageContent,
  policy: FramePolicy,
): Reply {
  const {title, intro, submitLabel, nodes} = opened
  const content = html`<h1>${title}</h1>
    <p class="lede">${intro} All fields are required unless marked as optional.</p>
    ${renderSummary('Please correct the following', errors)}
    ${renderSummary('What you need to correct', corrections, 'corrections')}
    ${renderForm({nodes, view, submitLabel, csrf})}`
  const hasErrors = errors.length > 0
  const skip = hasErrors
    ? html`<a class="skip" href="#errors">Skip to the errors</a> `
    : html`<a class="skip" href="#fields">Skip to the form</a> `
  const state = hasErrors ? 'Error: ' : corrections.length > 0 ? 'To be corrected: ' : ''
  return createReply({title: `${state}${title}`, skip, content, status}, policy)
}

// The page of a request that failed. `title` is that of a refusal.
export function createErrorPage(
  error: unknown,
  {onFault}: Pick<PageRequest, 'onFault'>,
  policy: FramePolicy,
  title: string,
): Reply {
  const sentences = ['Nothing was saved. Go back and try again in a moment.']
  if (error instanceof ServiceError)
    return createMessagePage({status: error.toReply().status, title, sentences: [error.message]}, policy)
  if (isBusy(error)) return createMessagePage({status: 503, title: 'The sandbox is busy', sentences}, policy)
  onFault(error)
  return createMessagePage({status: 500, title: 'Something went wrong in the sandbox', sentences}, policy)
}
