// The first page of the site: what svc is, the recorded tour, how to start, and the guides by task.
import {escapeHtml} from '../../src/cli/docs/render-html.ts'
import {measurePicture} from './render-page.ts'
import type {SiteGroup, SitePage} from './page.ts'

const renderTask = ({path, title, summary}: SitePage) =>
  `<li><a href="${path}">${escapeHtml(title)}</a><span>${escapeHtml(summary)}</span></li>`

const renderReference = (pages: readonly SitePage[]) =>
  `<p class="reference">Look up: ${pages.map(({path, title}) => `<a href="${path}">${escapeHtml(title)}</a>`).join(', ')}</p>`

const renderGroup = ({title, tasks, reference}: SiteGroup) => {
  const list = tasks.length > 0 ? `<ul>${tasks.map(renderTask).join('')}</ul>` : ''
  return `<section class="card"><h2>${escapeHtml(title)}</h2>${list}${renderReference(reference)}</section>`
}

export const tourFile = 'docs/tour.svg'
const tourSize = measurePicture(tourFile)

export function renderHome(description: string, groups: readonly SiteGroup[]): string {
  return `<h1>svc</h1>
<p class="lead">${escapeHtml(description)}.</p>
<p>Customers and their verification, accounts, quotes, payments that happen once, rules and events: at a terminal, in scripts, from
code and for agents. The whole service is built in as a sandbox, so you can try everything without an account or a network.</p>
<div class="code"><pre tabindex="0"><code><span class="prompt">$ </span><b>npm ci &amp;&amp; npm start</b>
<span class="prompt">$ </span><b>svc customers list -p sandbox</b></code></pre></div>
<p><a class="button" href="start.html">Getting started</a> <a class="button quiet" href="commands/index.html">All commands</a></p>
<p><img src="tour.svg" width="${tourSize.width}" height="${tourSize.height}" alt="A recording of svc tour: a list, a query, a refused verification corrected, a payment killed half-way and paid once, a payroll"></p>
<div class="cards">${groups.map(renderGroup).join('')}</div>`
}
