// Records the pictures of the documentation anew: the tour, and a terminal for each task page. A test compares them with those in
// docs/, so run it after their output has changed. Words after the command choose pictures, such as tour or tasks/pay-an-invoice.
import fs from 'node:fs'
import path from 'node:path'
import {listPages} from '../../src/cli/docs/pages.ts'
import {root} from '../surface.ts'
import {recordTask} from './task.ts'
import {recordTour} from './tour.ts'

const recorders: Record<string, () => Promise<string>> = {tour: recordTour}
for (const page of listPages(root)) if (page.topic.startsWith('tasks/')) recorders[page.topic] = () => recordTask(page)

const [folder = path.join(root, 'docs'), ...names] = process.argv.slice(2)
const chosen = Object.entries(recorders).filter(([name]) => names.length === 0 || names.includes(name))
const record = async ([name, run]: (typeof chosen)[number]) => {
  const file = path.join(folder, `${name}.svg`)
  fs.mkdirSync(path.dirname(file), {recursive: true})
  fs.writeFileSync(file, await run())
  process.stderr.write(`The recording is in ${path.relative(process.cwd(), file)}.\n`)
}
// Each waits for the programs that it runs most of the time.
await Promise.all(chosen.map(record))
