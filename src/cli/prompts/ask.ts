// The questions that svc asks a person, with the prompts of Inquirer. They go to standard error, because standard output is for
// data, and Inquirer is loaded only when something is asked.
import {clearPrompt, lineWidth, writeErr} from '../output/streams.ts'
import {styleText} from 'node:util'
import {interrupted} from '../../errors.ts'
import {endSentence} from '../../values/text.ts'
import {cleanText} from '../output/clean.ts'
import {type Choice, choicesPerPage, cleanChoice, filterChoices} from '../wizard/choices.ts'
import {wrapText} from '../output/wrap-text.ts'

// Thrown by a question that is left with Shift-Tab.
export class GoBack extends Error {}

export const keysHelp = 'Enter confirms, Shift-Tab goes back, Ctrl-C stops.'

// Inquirer reports Ctrl-C with this error.
export const isInterruption = (error: unknown) => error instanceof Error && error.name === 'ExitPromptError'

type Prompts = typeof import('@inquirer/prompts')

interface PromptContext {
  output: NodeJS.WritableStream
  signal: AbortSignal
  clearPromptOnDone?: boolean
}

interface Key {
  name?: string
  shift?: boolean
}

// Inquirer then ends the process by the signal.
function leaveAtHangUp(): void {
  clearPrompt()
  writeErr('\n')
}

async function runPrompt<T>(prompt: (prompts: Prompts, context: PromptContext) => Promise<T>): Promise<T> {
  const prompts = await import('@inquirer/prompts')
  const controller = new AbortController()
  const context: PromptContext = {output: process.stderr, signal: controller.signal}
  const onKey = (_: string | undefined, key: Key | undefined) => {
    if (key?.name !== 'tab' || !key.shift) return
    // A question that is left disappears from the screen.
    context.clearPromptOnDone = true
    controller.abort()
  }
  process.stdin.on('keypress', onKey)
  process.once('SIGHUP', leaveAtHangUp)
  try {
    return await prompt(prompts, context)
  } catch (error) {
    throw controller.signal.aborted ? new GoBack() : error
  } finally {
    process.stdin.off('keypress', onKey)
    process.off('SIGHUP', leaveAtHangUp)
  }
}

// Shows a hint behind the question until it is answered.
function addHint(hint: string | undefined) {
  const message = (text: string, status: string) => {
    const question = styleText('bold', text)
    if (!hint || status === 'done') return question
    // The mark of the prompt stands before the first line.
    return wrapText(`${question} ${styleText('dim', `(${cleanText(hint)})`)}`, lineWidth() - 2).join('\n')
  }
  return {style: {message}}
}

interface Line {
  message: string
  // The rule for the answer.
  hint?: string | undefined
  // Typed in advance, to be accepted or changed.
  initial?: string | undefined
  // Returns the problem with an answer, if any.
  check?: (text: string) => string | undefined | Promise<string | undefined>
  // Returns what speaks against an answer that may be given all the same: Enter, pressed again, accepts it.
  warn?: ((text: string) => string | undefined) | undefined
  // Nothing of it is shown.
  isHidden?: boolean | undefined
  // Formats the accepted answer, for example a phone number with its country code.
  format?: ((text: string) => string) | undefined
}

// The problem with an empty answer to a required question.
export const requiredMessage = 'It is required'

// Of what the service sent, control characters in the initial text would be pressed as keys.
export async function askLine({message, hint, initial, check, warn, isHidden, format = String}: Line): Promise<string> {
  let warnedOf: string | undefined
  let isTaken = false
  const validate = async (typed: string) => {
    const text = typed.trim()
    const problem = await check?.(text)
    if (problem !== undefined) return problem
    const warning = text === warnedOf ? undefined : warn?.(text)
    warnedOf = text
    isTaken = warning === undefined
    return isTaken || `${endSentence(warning ?? '')} Press Enter again to use it all the same`
  }
  const {style} = addHint(hint)
  // Inquirer leaves a warning below the answer that was given all the same.
  const error = (text: string) => (isTaken ? '' : styleText('red', wrapText(`> ${text}`, lineWidth() - 2).join('\n  ')))
  const options = {message: cleanText(message), validate, theme: {style: {...style, error}}}
  const answer = await runPrompt(({input, password}, context) => {
    if (isHidden) return password({...options, mask: '•', toggleMask: false}, context)
    const transformer = (text: string, {isFinal}: {isFinal: boolean}) =>
      isFinal ? styleText('cyan', cleanText(format(text.trim()))) : text
    return input({...options, default: cleanText(initial ?? ''), prefill: 'editable', transformer}, context)
  })
  return answer.trim()
}

// Returns the choices for what was typed so far. The signal aborts when they are no longer needed.
type FindChoices<T> = (term: string, signal: AbortSignal) => Promise<ReadonlyArray<Choice<T>>>

// Every list is searched by typing, so that Enter takes only what matches what was typed. With `hasNoDefault` no choice is more
// likely than another, such as the first country of all: Enter alone takes none.
export function askSelect<T>(
  message: string,
  source: ReadonlyArray<Choice<T>> | FindChoices<T>,
  initial?: T,
  {hasNoDefault = false}: {hasNoDefault?: boolean | undefined} = {},
): Promise<T> {
  const isHidden = hasNoDefault && initial === undefined
  const find: FindChoices<T> =
    typeof source === 'function' ? source : async (term) => (term === '' && isHidden ? [] : filterChoices(source, term))
  const options = {
    message: cleanText(message),
    source: async (term = '', {signal}: {signal: AbortSignal}) => (await find(term, signal)).map(cleanChoice),
    ...(initial !== undefined && {default: initial}),
    pageSize: choicesPerPage,
    theme: addHint('type to search'),
  }
  return runPrompt(({search}, context) => search<T>(options, context))
}

export const askYesNo = (message: string, initial = false): Promise<boolean> =>
  runPrompt(({confirm}, context) => confirm({message: cleanText(message), default: initial}, context))

// Long lists are scrolled.
const checkboxRowsMax = 16

export function askMultiSelect<T>(
  message: string,
  choices: ReadonlyArray<Choice<T>>,
  preselected: readonly T[] = [],
  {allowsNone = false} = {},
): Promise<T[]> {
  const boxes = choices.map((choice) => ({...cleanChoice(choice), checked: preselected.includes(choice.value)}))
  // The rows below those that fit are not to be overlooked.
  const more = choices.length > checkboxRowsMax ? `${choices.length} in all: ↓ shows the others` : undefined
  const options = {
    message: cleanText(message),
    choices: boxes,
    required: !allowsNone,
    loop: false,
    theme: addHint(more),
  }
  return runPrompt(({checkbox}, context) => checkbox<T>({...options, pageSize: checkboxRowsMax}, context))
}

// For a question before which there is nothing to go back to.
export async function askAlone<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof GoBack)) throw error
    }
  }
}

export const pick = <T>(message: string, source: ReadonlyArray<Choice<T>> | FindChoices<T>): Promise<T> =>
  askAlone(() => askSelect(message, source))

const isYes = (text: string) => /^y(es)?$/i.test(text)

// For actions that move money or cannot be undone: only a typed yes is one. In a stock confirmation, Tab would fill it in.
const askTypedYes = async (message: string): Promise<boolean> =>
  isYes(await askLine({message, hint: 'y/N', format: (text) => (isYes(text) ? 'Yes' : 'No')}))

export const askYes = (message: string): Promise<boolean> =>
  askTypedYes(message).catch((error: unknown) => {
    if (error instanceof GoBack) return false
    throw error
  })

// As askYes, but ends the command unless the answer is yes. `stopped` says what was sent by then, if anything was. `goBack` throws to
// go back to the questions before.
export async function requireYes(message: string, stopped?: string, goBack?: () => never): Promise<void> {
  const answer = await askTypedYes(message).catch((error: unknown) => {
    if (error instanceof GoBack) return goBack ? goBack() : false
    // Ctrl-C, which otherwise says that nothing was sent.
    if (stopped !== undefined && isInterruption(error)) throw interrupted(stopped)
    throw error
  })
  if (!answer) throw interrupted(stopped)
}
