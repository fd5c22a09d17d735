// Answers the prompts of svc on a pseudo-terminal with as few keys as a practised user needs, and counts them.
import {setTimeout as sleep} from 'node:timers/promises'
import {stripVTControlCharacters} from 'node:util'
import pty from '@lydell/node-pty'

type Answer =
  // Text that only the user knows. Its characters are the answer itself; everything else counts.
  | {text: string}
  // One of a list: Enter if it is highlighted, else the shorter of the arrow keys and `term`, which finds it by typing.
  | {choose: string; term?: string}
  // Several of a list.
  | {select: readonly string[]}
  | {yes: boolean}
  // Whatever is suggested; an optional question is skipped.
  | {enter: true}

// The answers by the beginning of the question. A list is used in order, once for each time that the question is asked.
export type Answers = Readonly<Record<string, Answer | readonly Answer[]>>

export interface Count {
  prompts: number
  keys: number
  // The characters of typed answers.
  answers: number
}

const keys = {enter: '\r', up: '\u001b[A', down: '\u001b[B', space: ' ', clear: '\u0015'}
const pollMs = 5
const idleMs = 60
const drawMaxMs = 1000
const waitMaxMs = 20_000

interface Terminal {
  text(): string
  length(): number
  press(key: string): void
  code(): number | undefined
}

function open(program: string, args: readonly string[], cwd: string, env: Record<string, string>): Terminal {
  let raw = ''
  let code: number | undefined
  const child = pty.spawn(process.execPath, [program, ...args], {cols: 100, rows: 40, cwd, env})
  child.onData((data) => (raw += data))
  child.onExit(({exitCode}) => (code = exitCode))
  return {
    text: () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n'),
    length: () => raw.length,
    press: (key) => child.write(key),
    code: () => code,
  }
}

async function waitUntilIdle(terminal: Terminal): Promise<void> {
  for (let length = -1; length !== terminal.length();) {
    length = terminal.length()
    await sleep(idleMs)
  }
}

// Waits until a key has had its effect on the screen.
async function waitUntilDrawn(terminal: Terminal, before: number): Promise<void> {
  for (const startedAt = performance.now(); terminal.length() === before;) {
    if (performance.now() - startedAt > drawMaxMs) return
    await sleep(pollMs)
  }
  await waitUntilIdle(terminal)
}

// The lines of a list in the last drawing of a prompt, and which one is highlighted.
function readList(frame: string): {lines: string[]; active: number} {
  const lines = frame
    .split('\n')
    .slice(1)
    .filter((line) => /^[❯ ] \S/.test(line))
  return {lines: lines.map((line) => line.slice(2)), active: lines.findIndex((line) => line.startsWith('❯'))}
}

const findLine = (lines: readonly string[], wanted: string) => lines.findIndex((line) => line.includes(wanted))

// The keys of one prompt, in turns: each is pressed and drawn before the next is decided.
function* decide(answer: Answer, label: string, frame: () => string): Generator<{key: string; isAnswer?: boolean}> {
  if ('text' in answer) {
    const [line = ''] = frame().split('\n')
    const filled = line.slice(line.indexOf(label) + label.length).replace(/^:? ?/, '')
    if (filled !== answer.text) {
      if (filled.trim() !== '') yield {key: keys.clear}
      for (const key of answer.text) yield {key, isAnswer: true}
    }
  } else if ('yes' in answer) {
    const isDefaultYes = /\bY\/n/.test(frame())
    if (isDefaultYes !== answer.yes) yield {key: answer.yes ? 'y' : 'n'}
  } else if ('choose' in answer) {
    yield* moveTo(answer.choose, answer.term, frame)
  } else if ('select' in answer) {
    // A numbered choice is selected by its number.
    for (const wanted of answer.select) {
      const number = new RegExp(`\\b([1-9])\\. ${wanted}`).exec(frame())?.[1]
      if (number === undefined) yield* moveTo(wanted, undefined, frame)
      yield {key: number ?? keys.space}
      // In a list of ten or more, another digit could follow.
      if (number !== undefined && frame().includes(`Space selects ${number}`)) yield {key: keys.space}
    }
  }
  yield {key: keys.enter}
}

function* moveTo(wanted: string, term: string | undefined, frame: () => string): Generator<{key: string}> {
  const {lines, active} = readList(frame())
  const at = findLine(lines, wanted)
  const distance = at === -1 ? Number.POSITIVE_INFINITY : at - active
  if (term !== undefined && Math.abs(distance) > term.length) for (const key of term) yield {key}
  else {
    if (at === -1) throw new Error(`"${wanted}" is not in the list:\n${frame()}`)
    for (let step = 0; step < Math.abs(distance); step++) yield {key: distance > 0 ? keys.down : keys.up}
  }
  const now = readList(frame())
  if (!now.lines[now.active]?.includes(wanted)) throw new Error(`"${wanted}" is not highlighted:\n${frame()}`)
}

const takeAnswer = (answers: Answers, label: string, times: number): Answer => {
  const found = answers[label]
  const answer = Array.isArray(found) ? (found as readonly Answer[])[times] : (found as Answer | undefined)
  if (!answer) throw new Error(`There is no answer number ${times + 1} to "${label}"`)
  return answer
}

// Runs a command and answers its prompts until it ends.
export async function measure(
  program: string,
  args: readonly string[],
  answers: Answers,
  {cwd, env}: {cwd: string; env: Record<string, string>},
): Promise<Count> {
  const terminal = open(program, args, cwd, env)
  const labels = Object.keys(answers).toSorted((a, b) => b.length - a.length)
  const count: Count = {prompts: 0, keys: 0, answers: 0}
  const timesAsked = new Map<string, number>()
  for (let seen = 0; ;) {
    const label = await findPrompt(terminal, labels, () => terminal.text().slice(seen))
    if (label === undefined) return count
    const frame = () => terminal.text().slice(Math.max(seen, terminal.text().lastIndexOf(`? ${label}`)))
    await waitUntilIdle(terminal)
    const times = timesAsked.get(label) ?? 0
    timesAsked.set(label, times + 1)
    count.prompts++
    for (const {key, isAnswer = false} of decide(takeAnswer(answers, label, times), label, frame)) {
      const before = terminal.length()
      terminal.press(key)
      count.keys++
      if (isAnswer) count.answers++
      else await waitUntilDrawn(terminal, before)
    }
    seen = await findEnd(terminal, label, seen)
  }
}

async function poll<T>(terminal: Terminal, look: () => T | undefined, problem: string): Promise<T> {
  for (const startedAt = performance.now(); ;) {
    const found = look()
    if (found !== undefined) return found
    if (performance.now() - startedAt > waitMaxMs) throw new Error(`${problem}:\n${terminal.text().slice(-1500)}`)
    await sleep(pollMs)
  }
}

// The question that is open now, or undefined if the command has ended well.
const findPrompt = (terminal: Terminal, labels: readonly string[], rest: () => string): Promise<string | undefined> =>
  poll(
    terminal,
    () => {
      const questions = [...rest().matchAll(/(?:^|\n)\? ([^\n]+)/g)].map(([, question = '']) => question)
      const label = questions.map((question) => labels.find((each) => question.startsWith(each))).find(Boolean)
      if (label !== undefined) return {label}
      if (terminal.code() === undefined) return undefined
      if (terminal.code() === 0) return {label: undefined}
      throw new Error(`The command ended with ${terminal.code()}:\n${terminal.text().slice(-1500)}`)
    },
    'No known question came',
  ).then(({label}) => label)

// Where the answered question ends on the screen.
const findEnd = (terminal: Terminal, label: string, seen: number): Promise<number> => {
  const done = `✔ ${label}`
  return poll(
    terminal,
    () => {
      const at = terminal.text().indexOf(done, seen)
      if (at !== -1) return at + done.length
      return terminal.code() === undefined ? undefined : terminal.text().length
    },
    `"${label}" was not taken`,
  )
}
