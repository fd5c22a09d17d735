// A prompt with several answers out of a list that is searched by typing.
import {
  createPrompt,
  isDownKey,
  isEnterKey,
  isNumberKey,
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
import {type Choice, choicesPerPage, cleanChoice, filterChoices} from './choices.ts'
import {runNavigable} from './navigation.ts'

interface MultiSelect<T> {
  message: string
  choices: ReadonlyArray<Choice<T>>
  preselected: readonly T[]
  allowsNone: boolean
  // Numbers the choices; the number selects, too.
  isNumbered: boolean
}

const marks = {selected: '[x]', open: '[ ]'}
const getPointer = () => (supportsUnicode() ? '❯' : '>')
const keysHint = 'Space selects, Ctrl-A selects all, typing searches, Enter continues'
const numbersHint = 'Space or the number selects, typing searches, Enter continues'
const nothingSelected = 'Select at least one with Space'

const toggle = <T>(selected: readonly T[], value: T) =>
  selected.includes(value) ? selected.filter((each) => each !== value) : [...selected, value]

const multiSelectPrompt = createPrompt<unknown[], MultiSelect<unknown>>(
  ({message, choices, preselected, allowsNone, isNumbered}, done) => {
    const theme = makeTheme()
    const [status, setStatus] = useState<'idle' | 'done'>('idle')
    const [selected, setSelected] = useState<readonly unknown[]>(preselected)
    const [term, setTerm] = useState('')
    const [active, setActive] = useState(0)
    const [rejection, setRejection] = useState<string>()
    const prefix = usePrefix({status, theme})
    const matches = filterChoices(choices, term)
    useKeypress((key, line) => {
      const highlighted = matches[active]
      setRejection(undefined)
      if (isEnterKey(key)) {
        if (selected.length === 0 && !allowsNone) return setRejection(nothingSelected)
        setStatus('done')
        return done(choices.map(({value}) => value).filter((value) => selected.includes(value)))
      }
      const numbered = isNumbered && isNumberKey(key) && term === '' ? choices[Number(key.name) - 1] : undefined
      if (numbered) setSelected(toggle(selected, numbered.value))
      else if (isUpKey(key) || isDownKey(key))
        setActive(Math.max(0, Math.min(matches.length - 1, active + (isUpKey(key) ? -1 : 1))))
      else if (key.ctrl && key.name === 'a') {
        setSelected(selected.length === choices.length ? [] : choices.map(({value}) => value))
      } else if (isSpaceKey(key)) {
        if (highlighted) setSelected(toggle(selected, highlighted.value))
      } else {
        setTerm(line.line)
        return setActive(0)
      }
      // Keys that move or select are not part of the search term.
      line.clearLine(0)
      line.write(term)
    })
    const page = usePagination({
      items: matches,
      active,
      renderItem: ({item, isActive}) => {
        const mark = selected.includes(item.value) ? marks.selected : marks.open
        const number = isNumbered ? `${choices.indexOf(item) + 1}. ` : ''
        const text = `${isActive ? getPointer() : ' '} ${mark} ${number}${item.name}`
        return isActive ? theme.style.highlight(text) : text
      },
      // A checklist is read as a whole.
      pageSize: isNumbered ? choices.length : choicesPerPage,
      loop: false,
    })
    const head = `${prefix} ${theme.style.message(message, status)}`
    if (status === 'done') {
      const names = choices.filter(({value}) => selected.includes(value)).map(({name}) => name)
      return `${head} ${theme.style.answer(names.length === choices.length ? 'all' : names.join('; ') || 'nothing')}`
    }
    const below = rejection ? theme.style.error(rejection) : theme.style.help(isNumbered ? numbersHint : keysHint)
    return [`${head} ${term}`, `${page}\n${below}`]
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
