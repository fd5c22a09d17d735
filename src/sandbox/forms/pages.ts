// The pages of a hosted form: the form itself, the state where there is nothing to fill in, and why a link does not work.
import type {Reply} from '../http/reply.ts'
import {type Content, html, type Html} from '../pages/html.ts'
import {pageReply} from '../pages/page.ts'
import type {Issue} from '../customers/customer-store.ts'
import type {FormView} from './controls.ts'
import type {OpenedForm, State} from './hosted-form.ts'
import {formOf, type Remark, summary} from './render.ts'

const site = 'Sandbox'

export interface Frame {
  frameAncestors: readonly string[]
}

const shell = (skip: Content, content: Content): Html =>
  html`${skip}
    <header class="site">
      <p><strong>${site}</strong>: nothing here is real. Use invented data.</p>
    </header>
    <main id="main">${content}</main>`

const skipTo = (target: string, words: string) => html`<a class="skip" href="#${target}">${words}</a> `

// A page that only says something.
export function messagePage(
  {status, title, sentences}: {status: number; title: string; sentences: readonly string[]},
  {frameAncestors}: Frame,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const body = shell(
    '',
    html`<div class="card">
      <h1>${title}</h1>
      ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
    </div>`,
  )
  return pageReply({title: `${title} · ${site}`, body}, {status, frameAncestors, headers})
}

const issueItem = ({message}: Issue) => html`<li>${message}</li>`

// `refused` says that something was sent all the same, and that it was not taken.
export function statePage(
  {state, title, sentences, issues = []}: State,
  {frameAncestors}: Frame,
  refused?: string,
): Reply {
  const body = shell(
    '',
    html`${refused !== undefined && summary('Nothing was taken', [{message: refused}])}
      <div class="card">
        <p class="state">${state}</p>
        <h1>${title}</h1>
        ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
        ${
          issues.length > 0 &&
          html`<h2>What was found</h2>
            <ul>
              ${issues.map(issueItem)}
            </ul>`
        }
      </div>`,
  )
  const shownTitle = refused === undefined ? `${state}: ${title}` : `Error: ${title}`
  return pageReply(
    {title: `${shownTitle} · ${site}`, body},
    {status: refused === undefined ? 200 : 400, frameAncestors},
  )
}

export interface FilledForm {
  opened: OpenedForm
  view: FormView
  csrf: string
  errors: readonly Remark[]
  asked: readonly Remark[]
  status: number
}

const errorsTitle = 'Please correct this first'
const askedTitle = 'What has to be corrected'

export function formPage({opened, view, csrf, errors, asked, status}: FilledForm, {frameAncestors}: Frame): Reply {
  const {title, lede, submit, nodes} = opened
  const hasErrors = errors.length > 0
  const body = shell(
    hasErrors ? skipTo('errors', 'Skip to the errors') : skipTo('form', 'Skip to the form'),
    html`<h1>${title}</h1>
      <p class="lede">${lede} Fields are needed unless they are marked as optional.</p>
      ${summary(errorsTitle, errors)}${summary(askedTitle, asked, 'asked')}${formOf({nodes, view, csrf, submit})}`,
  )
  const state = hasErrors ? 'Error: ' : asked.length > 0 ? 'To be corrected: ' : ''
  return pageReply({title: `${state}${title} · ${site}`, body, script: 'form.js'}, {status, frameAncestors})
}
