// The page of the sandbox's clock: what time it is, what happens next, and the buttons that move it.
import {formatDuration, secondMs, toIso} from '../../values/time.ts'
import {renderStatus, renderTime, shortenId} from '../../web/format.ts'
import {type Html, attributes, html} from '../../web/html.ts'
import {renderCard, renderTable} from '../../web/parts.ts'
import type {RequestContext} from '../service/request-context.ts'
import {readClockStatus} from '../time/clock.ts'
import {listWaitingTasks, readQueueStatus} from '../time/queue.ts'
import {type FormSettings, actions, renderActionForm} from './actions.ts'

export const clockPath = '/console/clock'

const tasksMax = 25
const presets = ['1m', '1h', '1d', '7d']

export const formatDistance = (ms: number) => (ms <= 0 ? 'due' : `in ${formatDuration(ms)}`)

// The fields of a payload that name what a task is about.
const subjects = ['customerId', 'transactionId', 'ruleId', 'deliveryId']

function renderSubject(payload: Readonly<Record<string, unknown>>) {
  const id = subjects.map((name) => payload[name]).find((value) => typeof value === 'string')
  return id !== undefined && html`<code title="${id}">${shortenId(id)}</code>`
}

function renderNow({database}: RequestContext): Html {
  const {now, offsetMs, frozen} = readClockStatus(database)
  const ahead = offsetMs < secondMs ? 'In step with real time.' : `${formatDuration(offsetMs)} ahead of real time.`
  return html`<div id="clock" data-live class="clock">
    <p class="now">${renderTime(now, {withSeconds: true})} <span class="zone">UTC</span></p>
    <p>${renderStatus(frozen ? 'FROZEN' : 'RUNNING')} ${ahead}</p>
  </div>`
}

const renderPresets = (csrf: string): Html =>
  html`<form method="post" class="presets">
    <input${attributes({type: 'hidden', name: 'csrf', value: csrf})} />
    <input${attributes({type: 'hidden', name: 'do', value: 'advance'})} />
    ${presets.map(
      (duration) =>
        html`<button${attributes({name: 'duration', value: duration, id: `advance-${duration}`})}>+${duration}</button>`,
    )}
  </form>`

export function renderClockPage(context: RequestContext, settings: FormSettings): Html {
  const {database, now} = context
  // A clock that runs can be frozen, and a frozen one can be run.
  const needless = readClockStatus(database).frozen ? 'clock.freeze' : 'clock.run'
  const ofClock = actions.filter(({subject, operation}) => subject === 'clock' && operation !== needless)
  const [withFields, buttons] = [true, false].map((has) => ofClock.filter(({fields}) => fields.length > 0 === has))
  const queue = renderTable({
    id: 'queue',
    caption: 'What happens next',
    columns: [
      {header: 'Due (UTC)', render: ({due}) => renderTime(toIso(due), {withSeconds: true})},
      {header: 'When', render: ({due}) => formatDistance(due - now)},
      {header: 'Task', render: ({kind}) => kind},
      {header: 'About', render: ({payload}) => renderSubject(payload)},
    ],
    items: listWaitingTasks(database, tasksMax),
    empty: 'Nothing is waiting.',
  })
  const {waiting} = readQueueStatus(database)
  return html`<div class="head"><h1>Clock</h1></div>
    <section class="card">
      ${renderNow(context)}
      <div class="row" id="moves" data-live>
        ${renderPresets(settings.csrf)} ${buttons?.map((action) => renderActionForm(action, settings))}
      </div>
      ${withFields?.map((action) => renderActionForm(action, settings))}
    </section>
    ${renderCard('What happens next', queue, {note: waiting > tasksMax && `The next ${tasksMax} of ${waiting} tasks.`})}`
}
