// A prompt for one line of text that is checked while it is typed.
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useEffect,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core'
import {confirm} from '@inquirer/prompts'
import {cleanText} from '../output/clean.ts'
import {supportsUnicode} from '../output/colour.ts'
import {wrapText} from '../output/wrap-text.ts'
import type {FindChoices, PickOptions} from '../prompts/pick-prompt.ts'
import {pickNavigable} from '../prompts/ask.ts'
import {type Choice, choicesPerPage, cleanChoice, filterChoices} from './choices.ts'
import {type Shortcuts, runNavigable} from './navigation.ts'
import {lineWidth, wrapLine} from './print.ts'

interface LinePrompt {
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

// Prompts with one answer out of several: a list that typing filters, yes or no.
export const askSelect = <T>(
  message: string,
  choices: ReadonlyArray<Choice<T>>,
  initial?: T,
  shortcuts?: Shortcuts<T>,
  options?: PickOptions,
): Promise<T> => pickNavigable(message, choices, initial, shortcuts, options)

export const askSearch = <T>(message: string, find: FindChoices<T>, initial?: T): Promise<T> =>
  pickNavigable(message, find, initial)

export const askYesNo = (message: string, initial = false): Promise<boolean> =>
  runNavigable((context) => confirm({message: cleanText(message), default: initial}, context))

// A prompt with several answers out of a list that is searched by typing.
interface MultiSelect<T> {
  message: string
  choices: ReadonlyArray<Choice<T>>
  preselected: readonly T[]
  allowsNone: boolean
  // Numbers the choices. A number that is typed selects its choice, as soon as it cannot begin a longer number.
  isNumbered: boolean
}

const marks = {selected: '[x]', open: '[ ]'}
const getPointer = () => (supportsUnicode() ? '❯' : '>')
const keysHint = 'Space selects, Ctrl-A selects all, typing searches, Enter continues'
const numbersHint = 'A number or Space selects, a word finds, Enter continues'
const searchHint = 'Space selects the highlighted one, so search for one word; Ctrl-U clears it'
const nothingSelected = 'Select at least one with Space'
const nothingMatches = 'Nothing matches; Ctrl-U clears what was typed'
const notSelectedYet = 'Space selects the highlighted one; Ctrl-U clears what was typed. Then Enter continues'

const toggle = <T>(selected: readonly T[], value: T) =>
  selected.includes(value) ? selected.filter((each) => each !== value) : [...selected, value]

// A number is collected as a whole, since each of its digits is the number of another choice.
const readNumber = (term: string) => (/^\d+$/.test(term.trim()) ? Number(term) : undefined)

// Whether another digit could make the number that of another choice: in a list of twelve, 1 can become 10, 2 nothing.
const canGrow = (number: number, count: number) => number * 10 <= count

interface Listed {
  choices: ReadonlyArray<Choice<unknown>>
  matches: ReadonlyArray<Choice<unknown>>
  selected: readonly unknown[]
}

// What is selected and not on the screen because of a search.
function describeHidden({choices, matches, selected}: Listed): string | undefined {
  const names = choices.filter((each) => selected.includes(each.value) && !matches.includes(each)).map(({name}) => name)
  return names.length === 0 ? undefined : `Also selected: ${names.join('; ')}`
}

// The line below the list while something is typed.
function describeTerm(number: number | undefined, {choices, matches, selected}: Listed): string {
  if (number === undefined) return matches.length === 0 ? nothingMatches : searchHint
  const numbered = choices[number - 1]
  if (!numbered) return `There is no number ${number}; Ctrl-U clears it`
  return `Space ${selected.includes(numbered.value) ? 'unselects' : 'selects'} ${number}, “${numbered.name}”`
}

const multiSelectPrompt = createPrompt<unknown[], MultiSelect<unknown>>(
  ({message, choices, preselected, allowsNone, isNumbered}, done) => {
    const theme = makeTheme()
    const [status, setStatus] = useState<'idle' | 'done'>('idle')
    const [selected, setSelected] = useState<readonly unknown[]>(preselected)
    const [term, setTerm] = useState('')
    const [active, setActive] = useState(0)
    const [rejection, setRejection] = useState<string>()
    // Whether something was selected since the last key of a search.
    const [isTermUsed, setIsTermUsed] = useState(false)
    // Whether the last key completed a number, which selected its choice.
    const [isNumberUsed, setIsNumberUsed] = useState(false)
    const prefix = usePrefix({status, theme})
    const typedNumber = isNumbered ? readNumber(term) : undefined
    const matches = typedNumber === undefined ? filterChoices(choices, term) : [...choices]
    const listed = {choices, matches, selected}
    useKeypress((key, line) => {
      const highlighted = typedNumber === undefined ? matches[active] : choices[typedNumber - 1]
      const select = () => {
        if (!highlighted) return setRejection(term === '' ? undefined : describeTerm(typedNumber, listed))
        setSelected(toggle(selected, highlighted.value))
        setIsTermUsed(true)
        if (typedNumber !== undefined) setTerm('')
      }
      setRejection(undefined)
      setIsNumberUsed(false)
      let written = term
      // A Space after a number only ends it, whether or not the number needed that.
      if (isSpaceKey(key) && isNumberUsed) written = ''
      else if (isSpaceKey(key) || (isEnterKey(key) && typedNumber !== undefined)) {
        select()
        if (typedNumber !== undefined && highlighted) written = ''
      } else if (isEnterKey(key)) {
        const problem =
          term !== '' && !isTermUsed
            ? matches.length === 0
              ? nothingMatches
              : notSelectedYet
            : selected.length === 0 && !allowsNone
              ? nothingSelected
              : undefined
        if (problem === undefined) {
          setStatus('done')
          return done(choices.map(({value}) => value).filter((value) => selected.includes(value)))
        }
        setRejection(problem)
      } else if (isUpKey(key) || isDownKey(key)) {
        setActive(Math.max(0, Math.min(matches.length - 1, active + (isUpKey(key) ? -1 : 1))))
        // The number no longer says which one is highlighted.
        if (typedNumber !== undefined) setTerm((written = ''))
      } else if (key.ctrl && key.name === 'a' && !isNumbered) {
        setSelected(selected.length === choices.length ? [] : choices.map(({value}) => value))
        setIsTermUsed(true)
      } else {
        const typed = line.line
        const newNumber = isNumbered ? readNumber(typed) : undefined
        const numbered = newNumber === undefined ? undefined : choices[newNumber - 1]
        setActive(newNumber === undefined ? 0 : Math.max(0, Math.min(choices.length, newNumber) - 1))
        if (newNumber === undefined || !numbered || typed === term || canGrow(newNumber, choices.length)) {
          setTerm(typed)
          if (typed !== term) setIsTermUsed(false)
          return
        }
        setSelected(toggle(selected, numbered.value))
        setIsNumberUsed(true)
        setTerm((written = ''))
      }
      // Keys that move or select are not part of the search term.
      line.clearLine(0)
      line.write(written)
    })
    const page = usePagination({
      items: matches,
      active,
      renderItem: ({item, isActive}) => {
        const mark = selected.includes(item.value) ? marks.selected : marks.open
        const label = isNumbered ? `${choices.indexOf(item) + 1}. ` : ''
        const text = `${isActive ? getPointer() : ' '} ${mark} ${label}${item.name}`
        return isActive ? theme.style.highlight(text) : text
      },
      // A checklist is read as a whole.
      pageSize: isNumbered ? choices.length : choicesPerPage,
      loop: false,
    })
    const head = `${prefix} ${theme.style.message(message, status)}`
    if (status === 'done') {
      const names = choices.filter(({value}) => selected.includes(value)).map(({name}) => name)
      const answer = names.length === choices.length ? 'all' : names.join('; ') || 'nothing'
      return wrapLine(`${head} ${theme.style.answer(answer)}`)
    }
    const hint = term === '' ? (isNumbered ? numbersHint : keysHint) : describeTerm(typedNumber, listed)
    const below = rejection ? theme.style.error(rejection) : theme.style.help(hint)
    const hidden = wrapText(describeHidden(listed) ?? '', lineWidth()).filter((line) => line !== '')
    return [`${wrapLine(head)} ${term}`, [page, ...hidden, below].filter((line) => line !== '').join('\n')]
  },
)

export const askMultiSelect = <T>(
  message: string,
  choices: ReadonlyArray<Choice<T>>,
  preselected: readonly T[] = [],
  {allowsNone = false, isNumbered = false} = {},
) =>
  runNavigable((context) =>
    multiSelectPrompt(
      {message: cleanText(message), choices: choices.map(cleanChoice), preselected, allowsNone, isNumbered},
      context,
    ),
  ) as Promise<T[]>
