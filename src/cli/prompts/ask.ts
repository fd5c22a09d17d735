// Single questions outside a wizard. Prompts go to standard error, because standard output is for data.
import {interrupted} from '../../errors.ts'
import {cleanText} from '../output/clean.ts'
import type {Choice} from '../wizard/choices.ts'
import {pick} from './pick.ts'
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
