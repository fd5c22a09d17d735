// A question that several answers are chosen for, out of a list that is searched by typing.
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
import {type Choice, filterChoices, runNavigable} from './prompts.ts'

interface MultiSelect<T> {
  message: string
  choices: ReadonlyArray<Choice<T>>
  // Chosen beforehand.
  preselected: readonly T[]
  allowsNone: boolean
}

const choicesPerPage = 9
const marks = {chosen: '[x]', open: '[ ]', pointer: '❯'}
const keys = 'Space chooses, Ctrl-A all, typing searches, Enter goes on'
const nothingChosen = 'Choose at least one, with Space'

const toggle = <T>(all: readonly T[], one: T) =>
  all.includes(one) ? all.filter((each) => each !== one) : [...all, one]

const multiSelectPrompt = createPrompt<unknown[], MultiSelect<unknown>>(
  ({message, choices, preselected: before, allowsNone: mayBeNone}, done) => {
    const theme = makeTheme()
    const [status, setStatus] = useState<'idle' | 'done'>('idle')
    const [chosen, setChosen] = useState<readonly unknown[]>(before)
    const [term, setTerm] = useState('')
    const [active, setActive] = useState(0)
    const [rejection, setRefusal] = useState<string>()
    const prefix = usePrefix({status, theme})
    const found = filterChoices(choices, term)
    useKeypress((key, line) => {
      const pointed = found[active]
      setRefusal(undefined)
      if (isEnterKey(key)) {
        if (chosen.length === 0 && !mayBeNone) return setRefusal(nothingChosen)
        setStatus('done')
        return done(choices.map(({value}) => value).filter((value) => chosen.includes(value)))
      }
      if (isUpKey(key) || isDownKey(key))
        setActive(Math.max(0, Math.min(found.length - 1, active + (isUpKey(key) ? -1 : 1))))
      else if (key.ctrl && key.name === 'a') {
        setChosen(chosen.length === choices.length ? [] : choices.map(({value}) => value))
      } else if (isSpaceKey(key)) {
        if (pointed) setChosen(toggle(chosen, pointed.value))
      } else {
        setTerm(line.line)
        return setActive(0)
      }
      // What moves and chooses is no part of what is searched for.
      line.clearLine(0)
      line.write(term)
    })
    const page = usePagination({
      items: found,
      active,
      renderItem: ({item, isActive}) => {
        const text = `${isActive ? marks.pointer : ' '} ${chosen.includes(item.value) ? marks.chosen : marks.open} ${item.name}`
        return isActive ? theme.style.highlight(text) : text
      },
      pageSize: choicesPerPage,
      loop: false,
    })
    const head = `${prefix} ${theme.style.message(message, status)}`
    if (status === 'done') {
      const names = choices.filter(({value}) => chosen.includes(value)).map(({name}) => name)
      return `${head} ${theme.style.answer(names.length === choices.length ? 'all' : names.join('; ') || 'nothing')}`
    }
    const below = rejection ? theme.style.error(rejection) : theme.style.help(keys)
    return [`${head} ${term}`, `${page}\n${below}`]
  },
)

export const askMultiSelect = <T>(
  message: string,
  choices: ReadonlyArray<Choice<T>>,
  chosen: readonly T[] = [],
  {mayBeNone = false} = {},
) =>
  runNavigable((context) =>
    multiSelectPrompt({message, choices, preselected: chosen, allowsNone: mayBeNone}, context),
  ) as Promise<T[]>
