// The pages of a hosted form: the form itself, its state when there is nothing to fill in, and messages about links.
import type {Reply} from '../http/reply.ts'
import {type Content, html} from '../../web/html.ts'
import {createPageReply} from '../http/page.ts'
import type {Issue} from '../service/customers/customer-store.ts'
import type {Branding} from './branding.ts'
import {type FormView, type Remark, renderForm, renderSummary} from './render-form.ts'
import type {OpenedForm, FormState} from './hosted-form.ts'
import {findStep, isShown, type Step, type StepState, type StepView} from './steps.ts'

const site = 'Sandbox'

export interface FramePolicy {
  frameAncestors: readonly string[]
  // Whose form it is; nobody's if it is absent.
  branding?: Branding
}

const renderBrand = ({name, logo}: Branding) =>
  (name ?? logo) !== undefined &&
  html`<div class="brand">
    ${logo !== undefined && html`<img src="${logo}" alt="${name === undefined ? 'Logo' : ''}" />`}
    ${name !== undefined && html`<strong>${name}</strong>`}
  </div>`

interface FormReply {
  title: string
  skip?: Content
  content: Content
  status: number
  headers?: Readonly<Record<string, string>>
  script?: 'form.js'
}

const createReply = (
  {title, skip, content, script, ...settings}: FormReply,
  {branding = {}, frameAncestors}: FramePolicy,
): Reply =>
  createPageReply(
    {
      title: `${title} · ${branding.name ?? site}`,
      body: html`${skip}
        <header class="site">
          ${renderBrand(branding)}
          <p><strong>${site}</strong>: nothing here is real. Do not enter real data.</p>
        </header>
        <main id="main">${content}</main>`,
      ...(script && {script}),
    },
    {...settings, frameAncestors},
  )

const renderSkipLink = (target: string, words: string) => html`<a class="skip" href="#${target}">${words}</a> `

// A page with a message and nothing to do.
export const createMessagePage = (
  {status, title, sentences}: {status: number; title: string; sentences: readonly string[]},
  policy: FramePolicy,
  headers: Readonly<Record<string, string>> = {},
): Reply => {
  const content = html`<div class="card">
    <h1>${title}</h1>
    ${sentences.map((sentence) => html`<p>${sentence}</p>`)}
  </div>`
  return createReply({title, content, status, headers}, policy)
}

const renderIssue = ({message}: Issue) => html`<li>${message}</li>`

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
            ${issues.map(renderIssue)}
          </ul>`
      }
    </div>`
  return rejection === undefined
    ? createReply({title: `${state}: ${title}`, content, status: 200}, policy)
    : createReply({title: `Error: ${title}`, content, status: 400}, policy)
}

export interface FormPageContent {
  opened: OpenedForm
  view: FormView
  csrf: string
  errors: readonly Remark[]
  corrections: readonly Remark[]
  status: number
  // Of the draft that the page shows.
  version: string
  steps: readonly Step[]
  states: readonly StepState[]
  shown: StepView
  // When the draft was saved, if there is one.
  savedAt: number | undefined
  // Whether the user has just asked to save the form.
  isSaved: boolean
}

const savedSentence = 'Saved. You can close this page and go on later with the same link, also on another device.'

// A field that is on another page is linked to there.
function locateRemark(remark: Remark, steps: readonly Step[], shown: StepView): Remark {
  const index = remark.path === undefined ? -1 : findStep(steps, remark.path)
  return index === -1 || isShown(shown, index) ? remark : {...remark, page: `?step=${index + 1}`}
}

const errorsTitle = 'Please correct the following'
const correctionsTitle = 'What you need to correct'

export function createFormPage(
  {opened, view, errors, corrections, status, isSaved, ...form}: FormPageContent,
  policy: FramePolicy,
): Reply {
  const {title, intro, submitLabel, nodes} = opened
  const {steps, shown} = form
  const hasErrors = errors.length > 0
  const locate = (remarks: readonly Remark[]) => remarks.map((remark) => locateRemark(remark, steps, shown))
  const content = html`<h1>${title}</h1>
    <p class="lede">${intro} All fields are required unless marked as optional.</p>
    ${isSaved && html`<p class="saved" role="status">${savedSentence}</p>`}
    ${renderSummary(errorsTitle, locate(errors))} ${renderSummary(correctionsTitle, locate(corrections), 'corrections')}
    ${renderForm({nodes, view, submitLabel, ...form})}`
  const skip = hasErrors ? renderSkipLink('errors', 'Skip to the errors') : renderSkipLink('fields', 'Skip to the form')
  const state = hasErrors ? 'Error: ' : corrections.length > 0 ? 'To be corrected: ' : ''
  const step = shown.is === 'step' ? `, step ${shown.index + 1} of ${steps.length}` : ''
  return createReply({title: `${state}${title}${step}`, skip, content, status, script: 'form.js'}, policy)
}
