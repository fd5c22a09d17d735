// Single questions outside a wizard. Prompts go to standard error, because standard output is for data.
import {interrupted} from '../../errors.ts'
import {cleanText} from '../output/clean.ts'
import {type Choice, cleanChoice} from '../wizard/choices.ts'
import {type Shortcuts, readNavigation, runNavigable} from '../wizard/navigation.ts'
import type {FindChoices, PickOptions} from './pick-prompt.ts'
import {openPromptOutput} from './prompt-output.ts'

const promptContext = () => ({output: openPromptOutput()})

export async function askSecret(message: string): Promise<string> {
  const {password} = await import('@inquirer/prompts')
  return password({message, mask: '•'}, promptContext())
}

export async function askText(
  message: string,
  check: (text: string) => true | string,
  initial?: string,
): Promise<string> {
  const {input} = await import('@inquirer/prompts')
  return input({message: cleanText(message), validate: check, ...(initial && {default: initial})}, promptContext())
}

export const askChoice = <T>(message: string, choices: ReadonlyArray<Choice<T>>): Promise<T> => pick(message, choices)

// Shift-Tab goes back to the questions before.
async function askYesOrBack(message: string): Promise<boolean | 'back'> {
  const {yesPrompt} = await import('./yes-prompt.ts')
  return yesPrompt({message: cleanText(message), canGoBack: true}, promptContext())
}

// As askYes, but ends the command unless the answer is yes. `stopped` says what was sent by then, if anything was. `goBack` throws to
// go back to the questions before.
export async function requireYes(message: string, stopped?: string, goBack?: () => never): Promise<void> {
  const answer = await (goBack ? askYesOrBack(message) : askYes(message)).catch((error: unknown) => {
    // Ctrl-C, which otherwise says that nothing was sent.
    if (stopped !== undefined && error instanceof Error && error.name === 'ExitPromptError') throw interrupted(stopped)
    throw error
  })
  if (answer === 'back') goBack?.()
  if (answer !== true) throw interrupted(stopped)
}

// For actions that move money or cannot be undone: only a typed yes confirms them, never Enter alone.
export async function askYes(message: string): Promise<boolean> {
  const {yesPrompt} = await import('./yes-prompt.ts')
  return (await yesPrompt({message: cleanText(message)}, promptContext())) === true
}

// Lets a person choose from a list that typing filters. What fits best comes first: the caller decides the order and the
// groups. Prompts go to standard error, and are loaded only when something is asked.
type Source<T> = ReadonlyArray<Choice<T>> | FindChoices<T>

// For a question of a wizard: Shift-Tab, Ctrl-S and Esc throw a `NavigationRequest`.
export async function pickNavigable<T>(
  message: string,
  source: Source<T>,
  initial?: T,
  shortcuts?: Shortcuts<T>,
  {noMatch, hasNoDefault}: PickOptions = {},
): Promise<T> {
  const {pickPrompt} = await import('./pick-prompt.ts')
  const prompt = {
    message: cleanText(message),
    source: typeof source === 'function' ? source : source.map(cleanChoice),
    initial,
    noMatch: noMatch && cleanText(noMatch),
    hasNoDefault,
  }
  return (await runNavigable<unknown>((context) => pickPrompt(prompt, context), shortcuts)) as T
}

// For a question by itself, such as the choice of a customer: Esc and Ctrl-C end the command with nothing sent.
export async function pick<T>(message: string, source: Source<T>, initial?: T): Promise<T> {
  for (;;) {
    try {
      return await pickNavigable(message, source, initial)
    } catch (error) {
      if (readNavigation(error) === 'quit') throw interrupted()
    }
  }
}
