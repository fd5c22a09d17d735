// Questions on a terminal, each of which can be answered, gone back from, or left. They go to standard error, so that
// standard output stays data.
import {
  createPrompt,
  isEnterKey,
  isTabKey,
  makeTheme,
  useEffect,
  useKeypress,
  usePrefix,
  useState,
} from '@inquirer/core'
import {confirm, search, select} from '@inquirer/prompts'
import {wrapText} from '../output/wrap-text.ts'
import {lineWidth} from './print.ts'

// What a person may do instead of answering.
export type Navigation = 'back' | 'abandon' | 'save'

export class NavigationRequest extends Error {
  readonly navigation: Navigation

  constructor(navigation: Navigation) {
    super(navigation)
    this.name = 'Turned'
    this.navigation = navigation
  }
}

export const keysHelp = 'Enter answers, Shift-Tab goes back, Ctrl-S saves, Esc leaves without sending.'
export const keysHelpWithoutDrafts = 'Enter answers, Shift-Tab goes back, Esc leaves without sending.'

interface Key {
  name?: string
  ctrl?: boolean
  shift?: boolean
}

function readNavigationKey({name, ctrl, shift}: Key): Navigation | undefined {
  if (name === 'escape') return 'abandon'
  if (name === 'tab' && shift) return 'back'
  return ctrl && name === 's' ? 'save' : undefined
}

type Context = NonNullable<Parameters<typeof confirm>[1]>

// Runs a prompt of Inquirer while watching for the keys that turn away from it. A question that was turned away from
// leaves nothing behind on the screen.
export async function runNavigable<T>(ask: (context: Context) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const context: Context = {output: process.stderr, signal: controller.signal}
  const onKey = (_: string, key: Key | undefined) => {
    const navigation = key && readNavigationKey(key)
    if (!navigation) return
    context.clearPromptOnDone = true
    controller.abort(new NavigationRequest(navigation))
  }
  process.stdin.on('keypress', onKey)
  try {
    return await ask(context)
  } catch (error) {
    if (controller.signal.aborted) throw controller.signal.reason
    throw error
  } finally {
    process.stdin.off('keypress', onKey)
  }
}

export interface LinePrompt {
  message: string
  // The rule that the answer must follow, shown while there is nothing to say about what was typed.
  hint?: string | undefined
  // Filled in beforehand, to be accepted or changed.
  initial?: string | undefined
  // What is wrong with an answer, or undefined.
  check: (text: string) => string | undefined
  // What takes longer to find out, asked once Enter is pressed.
  validate?: ((text: string) => Promise<string | undefined>) | undefined
  // An answer that must not be read over a shoulder: only its end is shown.
  hidden?: boolean | undefined
  // What is taken for what was typed, such as a phone number with its country code.
  format?: ((text: string) => string) | undefined
  // What a right answer means, shown in place of the hint.
  explain?: ((text: string) => string | undefined) | undefined
  // What Tab makes of what was typed.
  complete?: ((text: string) => string) | undefined
}

const shownAtEnd = 2
const errorMarkWidth = 2
const dot = '•'

const maskAllButEnd = (text: string) => dot.repeat(Math.max(0, text.length - shownAtEnd)) + text.slice(-shownAtEnd)

const linePrompt = createPrompt<string, LinePrompt>((question, done) => {
  const {
    message,
    hint = '',
    initial: offered,
    check,
    validate: judge,
    hidden,
    format: taken = String,
    explain,
    complete,
  } = question
  const theme = makeTheme()
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle')
  const [value, setValue] = useState('')
  const [rejection, setRefusal] = useState<string>()
  const prefix = usePrefix({status, theme})
  useEffect((line) => {
    if (!offered) return
    line.write(offered)
    setValue(offered)
  }, [])
  useKeypress(async (key, line) => {
    if (status !== 'idle') return
    if (isEnterKey(key)) {
      const answer = value.trim()
      setStatus('loading')
      const problem = check(answer) ?? (await judge?.(answer))
      if (problem === undefined) {
        setStatus('done')
        done(answer)
        return
      }
      // Pressing return empties the line; what was typed stays, to be mended.
      line.write(value)
      setStatus('idle')
      setRefusal(problem)
    } else if (isTabKey(key)) {
      const completed = complete ? complete(value) : value
      line.clearLine(0)
      line.write(completed)
      setValue(completed)
    } else {
      setValue(line.line)
      setRefusal(undefined)
    }
  })
  const shown = hidden ? maskAllButEnd(value) : value
  const head = `${prefix} ${theme.style.message(message, status)}`
  if (status === 'done') return `${head} ${theme.style.answer(hidden ? dot.repeat(value.length) : taken(shown))}`
  // While someone is still typing, what is wrong is said quietly.
  const problem = value === '' ? undefined : check(value.trim())
  const meaning = value === '' || problem !== undefined ? undefined : explain?.(value.trim())
  const style = rejection ? theme.style.error : theme.style.help
  // The error style begins with a mark of its own.
  const below = wrapText(rejection ?? problem ?? meaning ?? hint, lineWidth() - errorMarkWidth)
  return [`${head} ${shown}`, rejection ? style(below.join('\n')) : below.map((line) => style(line)).join('\n')]
})

export const askLine = (question: LinePrompt): Promise<string> =>
  runNavigable((context) => linePrompt(question, context))

export interface Choice<T> {
  name: string
  value: T
  // What the choice means, shown while it is the one pointed at.
  description?: string
  // What stays on the screen once it is chosen, where the name says more than is needed then.
  short?: string
  // Why it is shown and cannot be chosen.
  disabled?: string
}

export const choicesPerPage = 9

// Long lists are searched by typing.
export function askSelect<T>(message: string, choices: ReadonlyArray<Choice<T>>, offered?: T): Promise<T> {
  const settings = {message, pageSize: choicesPerPage, ...(offered !== undefined && {default: offered})}
  if (choices.length <= choicesPerPage) {
    return runNavigable((context) => select<T>({...settings, choices, loop: false}, context))
  }
  return askSearch(message, async (term) => filterChoices(choices, term), offered)
}

// What is searched is found by whoever knows it, as it is typed; `signal` says that nobody waits for it any more.
export function askSearch<T>(
  message: string,
  find: (term: string, signal: AbortSignal) => Promise<ReadonlyArray<Choice<T>>>,
  offered?: T,
): Promise<T> {
  const settings = {message, pageSize: choicesPerPage, ...(offered !== undefined && {default: offered})}
  const source = (term: string | undefined, {signal}: {signal: AbortSignal}) => find(term ?? '', signal)
  return runNavigable((context) => search<T>({...settings, source}, context))
}

// How well a choice fits what was typed, the best first: its very code, its beginning, the beginning of a word, any part.
function rankMatch({name, value, description = ''}: Choice<unknown>, wanted: string): number {
  const lower = name.toLowerCase()
  if (typeof value === 'string' && value.toLowerCase() === wanted) return 0
  if (lower.startsWith(wanted)) return 1
  if (lower.split(/[\s(]+/).some((word) => word.startsWith(wanted))) return 2
  return `${lower}\n${description.toLowerCase()}`.includes(wanted) ? 3 : Number.POSITIVE_INFINITY
}

export function filterChoices<T>(choices: ReadonlyArray<Choice<T>>, term = ''): Array<Choice<T>> {
  const wanted = term.trim().toLowerCase()
  if (wanted === '') return [...choices]
  return choices
    .map((choice) => ({choice, fit: rankMatch(choice, wanted)}))
    .filter(({fit}) => fit !== Number.POSITIVE_INFINITY)
    .toSorted((one, other) => one.fit - other.fit)
    .map(({choice}) => choice)
}

export const askYesNo = (message: string, offered = false): Promise<boolean> =>
  runNavigable((context) => confirm({message, default: offered}, context))
