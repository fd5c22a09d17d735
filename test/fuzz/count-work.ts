// Runs in a thread of its own and counts the work of each subject on each text: how often V8 ran each block of code, which
// is the same on every machine, and how many characters were searched by built-in functions. Steps inside one match of a
// regular expression cannot be counted.
import {Session} from 'node:inspector'
import {parentPort, workerData} from 'node:worker_threads'

export interface Task {
  subject: string
  // Repeated as often as each size says.
  unit: string
  sizes: readonly number[]
}

export interface Counted extends Task {
  // The work for each size.
  work: number[]
}

let searched = 0

// Called on each search by a regular expression, also by those of replace, split and match.
function countSearches(): void {
  // oxlint-disable-next-line unbound-method -- It is called with its own `this` below.
  const {exec} = RegExp.prototype
  // oxlint-disable-next-line no-extend-native -- In this thread alone, to count.
  RegExp.prototype.exec = function count(this: RegExp, text: string) {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const found = exec.call(this, text)
    const end = found ? found.index + found[0].length : this.sticky ? from : text.length
    searched += 1 + Math.max(0, end - from)
    return found
  }
  // oxlint-disable-next-line unbound-method -- As above.
  const {indexOf} = String.prototype
  // oxlint-disable-next-line no-extend-native -- As above.
  String.prototype.indexOf = function count(this: string, wanted: string, from = 0) {
    const found = indexOf.call(this, wanted, from)
    searched += 1 + Math.max(0, (found === -1 ? this.length : found) - from)
    return found
  }
}

// Blocks are counted only in code that is compiled after this.
const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: true})

// The counts since the last call.
function takeCounts(): number {
  let total = 0
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error) throw error
    for (const {url, functions} of taken?.result ?? []) {
      if (!url.startsWith('file:') || url.endsWith('/count-work.ts')) continue
      for (const {ranges} of functions) for (const {count} of ranges) total += count
    }
  })
  const sum = total + searched
  searched = 0
  return sum
}

const {quadraticSubjects, subjects} = await import('./subjects.ts')
countSearches()

function findSubject({subject}: Task) {
  const run = subjects[subject] ?? quadraticSubjects[subject]
  if (!run) throw new Error(`there is no subject ${subject}`)
  return run
}

async function countTask(task: Task): Promise<Counted> {
  const run = findSubject(task)
  const work: number[] = []
  for (const size of task.sizes) {
    await run(task.unit.repeat(size))
    work.push(takeCounts())
  }
  return {...task, work}
}

// What is loaded and prepared on first use does not count. To take the counts is slow, so they are taken once for all first uses.
const tasks = workerData as Task[]
for (const task of tasks) await findSubject(task)(task.unit)
takeCounts()
const counted: Counted[] = []
for (const task of tasks) counted.push(await countTask(task))
parentPort?.postMessage(counted, [])
