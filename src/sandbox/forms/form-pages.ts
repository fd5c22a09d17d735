// The pages of a hosted form: the form itself, its state when there is nothing to fill in, and messages about links.
import type {Reply} from '../http/reply.ts'
import {type Content, html, type Html} from '../../pages/html.ts'
import {createPageReply} from '../pages/page.ts'
import type {Issue} from '../customers/customer-store.ts'
import type {FormView} from './field-controls.ts'
import type {OpenedForm, FormState} from './hosted-form.ts'
import {renderForm, type Remark, renderSummary} from './render-form.ts'

const site = 'Sandbox'

export interface FramePolicy {
  frameAncestors: readonly string[]
}

const renderShell = (skip: Content, content: Content): Html =>
  html`${skip}
    <header class="site">
      <p><strong>${site}</strong>: nothing here is real. Do not enter real data.</p>
    </header>
    <main id="main">${content}</main>`

const renderSkipLink = (target: string, words: string) => html`<a class="skip" href="#${target}">${words}</a> `

// A page with a message and nothing to do.
export function createMessagePage(
  {status, title, sentences}: {status: number; title: string; sentences: readonly string[]},
  {frameAncestors}: FramePolicy,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = renderShell(
    '',
    html`<div class="card">
      <h1>${title}</h1>
      ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
    </div>`,
  )
  return createPageReply({title: `${title} · ${site}`, body}, {status, frameAncestors, headers})
}

const renderIssue = ({message}: Issue) => html`<li>${message}</li>`

// `rejection` says why a posted form was not accepted.
export function createStatePage(
  {state, title, sentences, issues = []}: FormState,
  {frameAncestors}: FramePolicy,
  rejection?: string,
): Reply {
  const body = renderShell(
    '',
    html`${rejection !== undefined && renderSummary('Your form was not accepted', [{message: rejection}])}
      <div class="card">
        <p class="state">${state}</p>
        <h1>${title}</h1>
        ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
        ${
          issues.length > 0 &&
          html`<h2>What was found</h2>
            <ul>
              ${issues.map(renderIssue)}
            </ul>`
        }
      </div>`,
  )
  const shownTitle = rejection === undefined ? `${state}: ${title}` : `Error: ${title}`
  return createPageReply(
    {title: `${shownTitle} · ${site}`, body},
    {status: rejection === undefined ? 200 : 400, frameAncestors},
  )
}

export interface FormPageContent {
  opened: OpenedForm
  view: FormView
  csrf: string
  errors: readonly Remark[]
  corrections: readonly Remark[]
  status: number
}

const errorsTitle = 'Please correct the following'
const correctionsTitle = 'What you need to correct'

export function createFormPage(
  {opened, view, csrf, errors, corrections, status}: FormPageContent,
  {frameAncestors}: FramePolicy,
): Reply {
  const {title, intro, submitLabel, nodes} = opened
  const hasErrors = errors.length > 0
  const body = renderShell(
    hasErrors ? renderSkipLink('errors', 'Skip to the errors') : renderSkipLink('form', 'Skip to the form'),
    html`<h1>${title}</h1>
      <p class="lede">${intro} All fields are required unless marked as optional.</p>
      ${renderSummary(errorsTitle, errors)} ${renderSummary(correctionsTitle, corrections, 'corrections')}
      ${renderForm({nodes, view, csrf, submitLabel})}`,
  )
  const state = hasErrors ? 'Error: ' : corrections.length > 0 ? 'To be corrected: ' : ''
  return createPageReply({title: `${state}${title} · ${site}`, body, script: 'form.js'}, {status, frameAncestors})
}
