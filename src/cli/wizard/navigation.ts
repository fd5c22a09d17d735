// The keys that leave a question instead of answering it: go back, save a draft, quit.
import type {confirm} from '@inquirer/prompts'
import {openPromptOutput} from '../prompts/prompt-output.ts'

export type Navigation = 'back' | 'save' | 'quit'

// Thrown by a prompt when such a key is pressed.
export class NavigationRequest extends Error {
  readonly navigation: Navigation

  constructor(navigation: Navigation) {
    super(navigation)
    this.name = 'NavigationRequest'
    this.navigation = navigation
  }
}

export const keysHelp = 'Enter confirms, Shift-Tab goes back, Ctrl-S saves, Esc quits without sending.'
export const keysHelpWithKeeper =
  'Enter confirms, Shift-Tab goes back, Esc stops. Your answers are kept until they are sent; Ctrl-S saves a copy.'

interface Key {
  name?: string
  ctrl?: boolean
  shift?: boolean
}

function readNavigationKey({name, ctrl, shift}: Key): Navigation | undefined {
  if (name === 'escape') return 'quit'
  if (name === 'tab' && shift) return 'back'
  return ctrl && name === 's' ? 'save' : undefined
}

type PromptContext = NonNullable<Parameters<typeof confirm>[1]>

// Keys that answer a prompt by themselves, if nothing was typed before them.
export type Shortcuts<T> = Readonly<Record<string, T>>

class Shortcut extends Error {
  readonly answer: unknown

  constructor(answer: unknown) {
    super('answered by a shortcut')
    this.answer = answer
  }
}

const isLetter = /^[\p{L}\p{N}]$/u

// Runs an Inquirer prompt on standard error and throws `NavigationRequest` when a navigation key is pressed. The
// interrupted prompt is cleared from the screen.
export async function runNavigable<T>(
  prompt: (context: PromptContext) => Promise<T>,
  shortcuts: Shortcuts<T> = {},
): Promise<T> {
  const controller = new AbortController()
  const context: PromptContext = {output: openPromptOutput(), signal: controller.signal}
  let isFirstKey = true
  const onKey = (text: string | undefined, key: Key | undefined) => {
    if (isFirstKey && text !== undefined && Object.hasOwn(shortcuts, text)) {
      context.clearPromptOnDone = true
      controller.abort(new Shortcut(shortcuts[text]))
    }
    if (text !== undefined && isLetter.test(text)) isFirstKey = false
    const navigation = key && readNavigationKey(key)
    if (!navigation) return
    context.clearPromptOnDone = true
    controller.abort(new NavigationRequest(navigation))
  }
  process.stdin.on('keypress', onKey)
  try {
    return await prompt(context)
  } catch (error) {
    if (!controller.signal.aborted) throw error
    const reason: unknown = controller.signal.reason
    if (reason instanceof Shortcut) return reason.answer as T
    throw reason
  } finally {
    process.stdin.off('keypress', onKey)
  }
}

// Returns the navigation behind an error. Inquirer reports Ctrl-C as an ExitPromptError. Other errors are rethrown.
export function readNavigation(error: unknown): Navigation {
  if (error instanceof NavigationRequest) return error.navigation
  if (error instanceof Error && error.name === 'ExitPromptError') return 'quit'
  throw error
}
