// The prompts of wizards: a line of text that is checked while it is typed, one answer out of several, and several answers.
import {
  type KeypressEvent,
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

const endSentence = (text: string) => (text.endsWith('?') ? text : `${text}.`)

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
      const problem =
        check(answer) ?? (await validate?.(answer)) ?? (warning && `${endSentence(warning)} ${acceptHint}`)
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

// What is selected and typed, between two keys.
interface Selection {
  selected: readonly unknown[]
  term: string
  active: number
  rejection?: string | undefined
  // Whether something was selected since the last key of a search.
  isTermUsed: boolean
  // Whether the last key completed a number, which selected its choice.
  isNumberUsed: boolean
  isDone: boolean
}

interface Listed extends Pick<MultiSelect<unknown>, 'choices'>, Pick<Selection, 'selected'> {
  matches: ReadonlyArray<Choice<unknown>>
  // The number that was typed, instead of a search.
  number: number | undefined
}

function listMatches({choices, isNumbered}: MultiSelect<unknown>, {term, selected}: Selection): Listed {
  const number = isNumbered ? readNumber(term) : undefined
  return {choices, selected, number, matches: number === undefined ? filterChoices(choices, term) : choices}
}

// What is selected and not on the screen because of a search.
function describeHidden({choices, matches, selected}: Listed): string | undefined {
  const names = choices.filter((each) => selected.includes(each.value) && !matches.includes(each)).map(({name}) => name)
  return names.length === 0 ? undefined : `Also selected: ${names.join('; ')}`
}

// The line below the list while something is typed.
function describeTerm({number, choices, matches, selected}: Listed): string {
  if (number === undefined) return matches.length === 0 ? nothingMatches : searchHint
  const numbered = choices[number - 1]
  if (!numbered) return `There is no number ${number}; Ctrl-U clears it`
  return `Space ${selected.includes(numbered.value) ? 'unselects' : 'selects'} ${number}, “${numbered.name}”`
}

function selectHighlighted(state: Selection, listed: Listed): Selection {
  const {number, matches, choices} = listed
  const highlighted = number === undefined ? matches[state.active] : choices[number - 1]
  if (!highlighted) return {...state, rejection: state.term === '' ? undefined : describeTerm(listed)}
  const selected = toggle(state.selected, highlighted.value)
  return {...state, selected, isTermUsed: true, term: number === undefined ? state.term : ''}
}

function confirmSelection(state: Selection, {matches}: Listed, allowsNone: boolean): Selection {
  const {term, isTermUsed, selected} = state
  if (term !== '' && !isTermUsed) return {...state, rejection: matches.length === 0 ? nothingMatches : notSelectedYet}
  return selected.length === 0 && !allowsNone ? {...state, rejection: nothingSelected} : {...state, isDone: true}
}

// A number selects its choice as soon as no other digit can follow; anything else is searched for.
function typeTerm(state: Selection, typed: string, {choices, isNumbered}: MultiSelect<unknown>): Selection {
  const number = isNumbered ? readNumber(typed) : undefined
  const numbered = number === undefined ? undefined : choices[number - 1]
  const active = number === undefined ? 0 : Math.max(0, Math.min(choices.length, number) - 1)
  if (number === undefined || !numbered || typed === state.term || canGrow(number, choices.length)) {
    return {...state, active, term: typed, isTermUsed: typed === state.term && state.isTermUsed}
  }
  return {...state, active, selected: toggle(state.selected, numbered.value), isNumberUsed: true, term: ''}
}

// `typed` is the line after the key.
function pressKey(before: Selection, key: KeypressEvent, typed: string, prompt: MultiSelect<unknown>): Selection {
  const {choices, allowsNone, isNumbered} = prompt
  const listed = listMatches(prompt, before)
  const state = {...before, rejection: undefined, isNumberUsed: false}
  // A Space after a number only ends it, whether or not the number needed that.
  if (isSpaceKey(key)) return before.isNumberUsed ? state : selectHighlighted(state, listed)
  if (isEnterKey(key)) {
    return listed.number === undefined ? confirmSelection(state, listed, allowsNone) : selectHighlighted(state, listed)
  }
  if (isUpKey(key) || isDownKey(key)) {
    const active = Math.max(0, Math.min(listed.matches.length - 1, state.active + (isUpKey(key) ? -1 : 1)))
    // A number no longer says which one is highlighted.
    return {...state, active, term: listed.number === undefined ? state.term : ''}
  }
  if (key.ctrl && key.name === 'a' && !isNumbered) {
    const isAll = state.selected.length === choices.length
    return {...state, selected: isAll ? [] : choices.map(({value}) => value), isTermUsed: true}
  }
  return typeTerm(state, typed, prompt)
}

const startSelection = {term: '', active: 0, isTermUsed: false, isNumberUsed: false, isDone: false}

const multiSelectPrompt = createPrompt<unknown[], MultiSelect<unknown>>((prompt, done) => {
  const {message, choices, preselected, isNumbered} = prompt
  const theme = makeTheme()
  const [state, setState] = useState<Selection>({...startSelection, selected: preselected})
  const {selected, term, active, rejection, isDone} = state
  const status = isDone ? 'done' : 'idle'
  const prefix = usePrefix({status, theme})
  const listed = listMatches(prompt, state)
  useKeypress((key, line) => {
    const next = pressKey(state, key, line.line, prompt)
    setState(next)
    if (next.isDone) return done(choices.map(({value}) => value).filter((value) => next.selected.includes(value)))
    // Keys that move or select are not part of the search term.
    if (key.ctrl || next.term !== line.line) {
      line.clearLine(0)
      line.write(next.term)
    }
  })
  const page = usePagination({
    items: listed.matches,
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
  if (isDone) {
    const names = choices.filter(({value}) => selected.includes(value)).map(({name}) => name)
    const answer = names.length === choices.length ? 'all' : names.join('; ') || 'nothing'
    return wrapLine(`${head} ${theme.style.answer(answer)}`)
  }
  const hint = term === '' ? (isNumbered ? numbersHint : keysHint) : describeTerm(listed)
  const below = rejection ? theme.style.error(rejection) : theme.style.help(hint)
  const hidden = wrapText(describeHidden(listed) ?? '', lineWidth()).filter((line) => line !== '')
  return [`${wrapLine(head)} ${term}`, [page, ...hidden, below].filter((line) => line !== '').join('\n')]
})

export async function askMultiSelect<T>(
  message: string,
  choices: ReadonlyArray<Choice<T>>,
  preselected: readonly T[] = [],
  {allowsNone = false, isNumbered = false} = {},
): Promise<T[]> {
  const prompt = {message: cleanText(message), choices: choices.map(cleanChoice), preselected, allowsNone, isNumbered}
  const selected = await runNavigable((context) => multiSelectPrompt(prompt, context))
  return choices.map(({value}) => value).filter((value) => selected.includes(value))
}
