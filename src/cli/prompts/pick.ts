// Lets a person choose from a list that typing filters. What fits best comes first: the caller decides the order and the
// groups. Prompts go to standard error, and are loaded only when something is asked.
import {interrupted} from '../../errors.ts'
import {cleanText} from '../output/clean.ts'
import {type Choice, cleanChoice} from '../wizard/choices.ts'
import {type Shortcuts, readNavigation, runNavigable} from '../wizard/navigation.ts'
import type {FindChoices, PickOptions} from './pick-prompt.ts'

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
