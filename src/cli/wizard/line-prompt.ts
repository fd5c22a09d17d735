// A prompt for one line of text that is checked while it is typed.
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
import {cleanText} from '../output/clean.ts'
import {wrapText} from '../output/wrap-text.ts'
import {runNavigable} from './navigation.ts'
import {lineWidth} from './print.ts'

export interface LinePrompt {
  message: string
  // The rule for the answer, shown below the line until there is a problem or an explanation to show.
  hint?: string | undefined
  // Typed in advance, to be accepted or changed.
  initial?: string | undefined
  // Returns the problem with an answer, if any. Called after every key.
  check: (text: string) => string | undefined
  // Returns what speaks against an answer that may be given all the same: Enter, pressed again, accepts it.
  warn?: ((text: string) => string | undefined) | undefined
  // A slower check, called when Enter is pressed.
  validate?: ((text: string) => Promise<string | undefined>) | undefined
  // Only the last characters are shown while typing, and none afterwards.
  hidden?: boolean | undefined
  // Formats the accepted answer, for example a phone number with its country code.
  format?: ((text: string) => string) | undefined
  // Explains what a valid answer means, in place of the hint.
  explain?: ((text: string) => string | undefined) | undefined
  // Completes the line when Tab is pressed.
  complete?: ((text: string) => string) | undefined
}

// The problem with an empty answer to a required question.
export const requiredMessage = 'It is required'

const acceptHint = 'Press Enter again to use it all the same'

const visibleAtEnd = 2
const errorMarkWidth = 2
const dot = '•'

const maskAllButEnd = (text: string) => dot.repeat(Math.max(0, text.length - visibleAtEnd)) + text.slice(-visibleAtEnd)

const linePrompt = createPrompt<string, LinePrompt>((prompt, done) => {
  const {message, hint = '', initial, check, warn, validate, hidden, format = String, explain, complete} = prompt
  const theme = makeTheme()
  const [status, setStatus] = useState<'idle' | 'loading' | 'done'>('idle')
  const [value, setValue] = useState('')
  const [rejection, setRejection] = useState<string>()
  const [acceptedText, setAcceptedText] = useState<string>()
  const prefix = usePrefix({status, theme})
  useEffect((line) => {
    if (!initial) return
    line.write(initial)
    setValue(initial)
  }, [])
  useKeypress(async (key, line) => {
    if (status !== 'idle') return
    if (isEnterKey(key)) {
      const answer = value.trim()
      setStatus('loading')
      const warning = answer === acceptedText ? undefined : warn?.(answer)
      const problem = check(answer) ?? (await validate?.(answer)) ?? (warning && `${warning}. ${acceptHint}`)
      if (problem === undefined) {
        setStatus('done')
        done(answer)
        return
      }
      // Enter has emptied the line, so the text is written back for correction.
      line.write(value)
      setStatus('idle')
      setRejection(problem)
      setAcceptedText(answer)
    } else if (isTabKey(key)) {
      const completed = complete ? complete(value) : value
      line.clearLine(0)
      line.write(completed)
      setValue(completed)
    } else {
      setValue(line.line)
      setRejection(undefined)
    }
  })
  const shown = hidden ? maskAllButEnd(value) : value
  const head = `${prefix} ${theme.style.message(message, status)}`
  if (status === 'done') {
    return `${head} ${theme.style.answer(hidden && value !== '' ? dot.repeat(value.length) : format(shown))}`
  }
  // A problem is shown in the style of a hint until Enter is pressed.
  const problem = value === '' ? undefined : (check(value.trim()) ?? warn?.(value.trim()))
  const meaning = value === '' || problem !== undefined ? undefined : explain?.(value.trim())
  const style = rejection ? theme.style.error : theme.style.help
  // The error style puts a mark in front of the text.
  const below = wrapText(rejection ?? problem ?? meaning ?? hint, lineWidth() - errorMarkWidth)
  return [`${head} ${shown}`, rejection ? style(below.join('\n')) : below.map((line) => style(line)).join('\n')]
})

const cleanOptional = (text: string | undefined) => text && cleanText(text)

// Of what the service sent, control characters in the initial text would be pressed as keys.
export const askLine = (prompt: LinePrompt): Promise<string> =>
  runNavigable((context) =>
    linePrompt(
      {
        ...prompt,
        message: cleanText(prompt.message),
        hint: cleanOptional(prompt.hint),
        initial: cleanOptional(prompt.initial),
      },
      context,
    ),
  )
