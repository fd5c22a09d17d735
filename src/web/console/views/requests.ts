// The requests that the sandbox received, and the page of one with its bodies.
import {html} from '../../html.ts'
import {type ConsoleContext, type ConsolePage, paths} from '../context.ts'
import {renderCode, renderStatus, renderTime, toText, type Tone} from '../../format.ts'
import {renderCard, renderFacts} from '../../parts.ts'
import {readCutPage} from '../read-newest.ts'
import type {ConsoleRequest, RequestSource} from '../source.ts'
import {renderItem} from './item-page.ts'
import {renderList} from './list-page.ts'

const getStatusTone = (status: number): Tone =>
  status === 0 || status >= 500 ? 'bad' : status >= 400 ? 'open' : 'good'

const renderHttpStatus = (status: number) =>
  renderStatus(status === 0 ? 'No reply' : String(status), getStatusTone(status))

const formatMs = (ms: number) => `${Math.round(ms * 10) / 10} ms`

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const

export const renderRequests = (context: ConsoleContext, requests: RequestSource): Promise<ConsolePage> =>
  renderList<ConsoleRequest>(context, {
    id: 'requests-list',
    title: 'Requests',
    noun: 'request',
    command: 'svc sandbox requests',
    search: {label: 'Path, status or fault', choice: {name: 'method', label: 'Method', values: methods}},
    listTexts: ({method, path, status, fault}) => [method, path, String(status), fault],
    hasChoice: ({method}, value) => method === value,
    readPage: (query) => readCutPage((count) => requests.listRequests(count), context.source.readMax, query),
    prepareColumns: async () => [
      {header: 'Time (UTC)', render: ({at}) => renderTime(at, {withSeconds: true})},
      {header: 'Method', render: ({method}) => toText(method)},
      {
        header: 'Path',
        render: ({seq, path}) =>
          html`<a id="request-${seq}" href="${context.link(paths.request, {id: String(seq)})}"
            ><code>${toText(path)}</code></a
          >`,
        isLong: true,
      },
      {header: 'Status', render: ({status}) => renderHttpStatus(status)},
      {header: 'Took', render: ({durationMs}) => formatMs(durationMs), isNumber: true},
      {header: 'Fault', render: ({fault}) => toText(fault), isMinor: true},
    ],
    empty: 'There are no requests yet.',
  })

const renderBody = (title: string, body: unknown) =>
  renderCard(
    title,
    body === undefined
      ? html`<p class="none">It had no body.</p>`
      : html`<pre tabindex="0">${JSON.stringify(body, null, 2)}</pre>`,
  )

export async function renderRequest(context: ConsoleContext, requests: RequestSource): Promise<ConsolePage> {
  const id = context.query['id'] ?? ''
  const seq = /^\d{1,15}$/.test(id) ? Number(id) : -1
  return renderItem(context, {
    noun: 'Request',
    list: {path: paths.requests, title: 'Requests'},
    find: () => requests.findRequest(seq),
    missing: html`There is no request ${renderCode(toText(id))} in the log.`,
    render: async (request) => ({
      title: toText(`${request.method} ${request.path.replace(/\?.*$/, '')}`),
      beside: renderHttpStatus(request.status),
      body: [
        renderCard(
          'Details',
          renderFacts([
            ['Time', renderTime(request.at, {withSeconds: true})],
            ['Address', renderCode(toText(request.path))],
            ['Took', formatMs(request.durationMs)],
            ['Fault', toText(request.fault)],
          ]),
          {note: 'Values that could be personal data are masked in the log.'},
        ),
        html`<div class="columns">
          ${renderBody('Request', request.request)} ${renderBody('Reply', request.reply)}
        </div>`,
      ],
    }),
  })
}
