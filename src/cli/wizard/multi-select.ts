// A prompt with several answers out of a list that is searched by typing.
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isSpaceKey,
  isUpKey,
  makeTheme,
  usePagination,
  usePrefix,
  useState,
  useKeypress,
} from '@inquirer/core'
import {cleanText} from '../output/clean.ts'
import {supportsUnicode} from '../output/unicode.ts'
import {wrapText} from '../output/wrap-text.ts'
import {type Choice, choicesPerPage, cleanChoice, filterChoices} from './choices.ts'
import {runNavigable} from './navigation.ts'
import {lineWidth, wrapLine} from './print.ts'

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
