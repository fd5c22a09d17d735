// Single questions outside a wizard. Prompts go to standard error, because standard output is for data.
import {cleanText} from '../output/clean.ts'
import type {Choice} from '../wizard/choices.ts'
import {pick} from './pick.ts'

const promptContext = () => ({output: process.stderr})

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

// For actions that move money or cannot be undone: only a typed yes confirms them, never Enter alone.
export async function askYes(message: string): Promise<boolean> {
  const {yesPrompt} = await import('./yes-prompt.ts')
  return yesPrompt({message: cleanText(message)}, promptContext())
}
