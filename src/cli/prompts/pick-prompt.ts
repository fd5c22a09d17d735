// The list prompt behind every choice: typing filters it, and Enter takes the highlighted choice and nothing else.
import {
  type KeypressEvent,
  createPrompt,
  isDownKey,
  isEnterKey,
  isTabKey,
  isUpKey,
  makeTheme,
  useEffect,
  useKeypress,
  usePagination,
  usePrefix,
  useState,
} from '@inquirer/core'
import {supportsUnicode} from '../output/colour.ts'
import {wrapLine} from '../wizard/print.ts'
import {type Choice, choicesPerPage, cleanChoice, filterChoices} from '../wizard/choices.ts'

// Returns the choices for what was typed so far. The signal aborts when they are no longer needed.
export type FindChoices<T> = (term: string, signal: AbortSignal) => Promise<ReadonlyArray<Choice<T>>>

export interface PickOptions {
  // Says in the words of the question that nothing matches.
  noMatch?: string | undefined
  // No choice is more likely than another, such as the first country of all: Enter alone takes none.
  hasNoDefault?: boolean | undefined
}

export interface Pick<T> extends PickOptions {
  message: string
  source: ReadonlyArray<Choice<T>> | FindChoices<T>
  initial?: T | undefined
}

type Style = ReturnType<typeof makeTheme>['style']

interface Row {
  heading?: string
  choice?: Choice<unknown>
}

interface Found {
  // The term that the choices were found for; undefined before the first search.
  term: string | undefined
  choices: ReadonlyArray<Choice<unknown>>
  problem?: string | undefined
}

const filterHint = '(type to filter)'
const stillSearching = 'Still searching'
const noMatchDefault = 'Nothing matches'
const clearHint = 'Ctrl-U clears what was typed'
const typeToChoose = 'Type to choose'

const describeDisabled = ({choice}: Row = {}) =>
  ['This one cannot be chosen', choice?.advice].filter((part) => part !== undefined).join(': ')

const isSelectable = ({choice}: Row) => choice !== undefined && choice.disabled === undefined

// A heading stands above the first of the neighbours that share it. Matches are in another order, and have none.
const toRows = (choices: ReadonlyArray<Choice<unknown>>, hasHeadings: boolean): Row[] =>
  choices.flatMap((choice, index) => {
    const isNewGroup = hasHeadings && choice.group !== undefined && choice.group !== choices[index - 1]?.group
    return isNewGroup ? [{heading: String(choice.group)}, {choice}] : [{choice}]
  })

// Moves over the rows that can be chosen, and stops at the first and the last one.
function moveBy(rows: readonly Row[], from: number, steps: number): number {
  const selectable = [...rows.keys()].filter((index) => isSelectable(rows[index] ?? {}))
  const next = Math.max(0, Math.min(selectable.length - 1, selectable.indexOf(from) + steps))
  return selectable[next] ?? from
}

function getSteps(key: KeypressEvent): number {
  if (isUpKey(key)) return -1
  if (isDownKey(key)) return 1
  return key.name === 'pageup' ? -choicesPerPage : key.name === 'pagedown' ? choicesPerPage : 0
}

function findStart(rows: readonly Row[], initial: unknown, hasDefault: boolean): number {
  const at = rows.findIndex((row) => isSelectable(row) && row.choice?.value === initial)
  if (at !== -1 && initial !== undefined) return at
  return hasDefault ? rows.findIndex(isSelectable) : -1
}

function renderRow({heading, choice}: Row, isActive: boolean, pointer: string, style: Style): string {
  if (!choice) return style.help(`  ${heading}`)
  if (choice.disabled !== undefined) return style.help(`- ${choice.name} ${choice.disabled}`.trimEnd())
  return isActive ? style.highlight(`${pointer} ${choice.name}`) : `  ${choice.name}`
}

// How many match, where not all of them are on the screen or some are filtered out.
function describeCount(source: Pick<unknown>['source'], matches: number): string {
  if (typeof source === 'function' || (matches === source.length && matches <= choicesPerPage)) return ''
  return matches === source.length ? `; ${matches} in the list` : `; ${matches} of ${source.length} match`
}

const describeFailure = (error: unknown) => (error instanceof Error ? error.message : String(error))

// The choices for what was typed: filtered here, or searched for by the source.
function useChoices(source: Pick<unknown>['source'], term: string) {
  const [found, setFound] = useState<Found>({term: undefined, choices: []})
  useEffect(() => {
    if (typeof source !== 'function') return undefined
    const controller = new AbortController()
    const find = async () => {
      const result: Found = await source(term, controller.signal).then(
        (choices) => ({term, choices: choices.map(cleanChoice)}),
        (error: unknown) => ({term, choices: [], problem: describeFailure(error)}),
      )
      if (!controller.signal.aborted) setFound(result)
    }
    void find()
    return () => controller.abort()
  }, [term])
  if (typeof source !== 'function') return {choices: filterChoices(source, term), isSearching: false}
  return {choices: found.choices, problem: found.problem, isSearching: found.term !== term}
}

export const pickPrompt = createPrompt<unknown, Pick<unknown>>(
  ({message, source, initial, noMatch = noMatchDefault, hasNoDefault = false}, done) => {
    const theme = makeTheme()
    const marks = supportsUnicode() ? {pointer: '❯', keys: '↑↓'} : {pointer: '>', keys: 'Up/Down'}
    const [status, setStatus] = useState<'idle' | 'done'>('idle')
    const [term, setTerm] = useState('')
    const [moved, setMoved] = useState<number>()
    const [rejection, setRejection] = useState<string>()
    const {choices, problem, isSearching} = useChoices(source, term)
    const rows = toRows(choices, term === '')
    // While a search is under way nothing is highlighted: the list on the screen belongs to what was typed before.
    const hasDefault = !hasNoDefault || term !== ''
    const start = findStart(rows, term === '' ? initial : undefined, hasDefault)
    const active = isSearching ? -1 : (moved ?? start)
    const highlighted = rows[active]?.choice
    const prefix = usePrefix({status: status === 'done' ? 'done' : isSearching ? 'loading' : 'idle', theme})
    useKeypress((key, line) => {
      if (status === 'done') return
      setRejection(undefined)
      if (isEnterKey(key)) {
        if (highlighted) {
          setStatus('done')
          return done(highlighted.value)
        }
        const reason = hasDefault ? describeDisabled(rows.find(({choice}) => choice)) : typeToChoose
        setRejection(isSearching ? stillSearching : rows.length === 0 ? undefined : reason)
      } else if (getSteps(key) !== 0) {
        if (!isSearching) setMoved(moveBy(rows, active, getSteps(key)))
      } else if (!isTabKey(key)) {
        if (line.line !== term) setMoved(undefined)
        return setTerm(line.line)
      }
      // Keys that move or choose are not part of what was typed.
      line.clearLine(0)
      line.write(term)
    })
    const page = usePagination({
      items: rows,
      active: Math.max(0, active),
      renderItem: ({item, isActive}) => renderRow(item, isActive && active !== -1, marks.pointer, theme.style),
      pageSize: choicesPerPage,
      loop: false,
    })
    const head = `${prefix} ${theme.style.message(message, status)}`
    if (status === 'done') {
      return wrapLine(`${head} ${theme.style.answer(highlighted?.short ?? highlighted?.name ?? '')}`)
    }
    const nothing = isSearching || rows.length > 0 ? undefined : (problem ?? `${noMatch}; ${clearHint}`)
    const keysHint = `${marks.keys} moves, Enter chooses${describeCount(source, choices.length)}`
    const below = [
      page,
      highlighted?.description && theme.style.highlight(`  ${highlighted.description}`),
      rejection || nothing ? theme.style.error(rejection ?? nothing ?? '') : theme.style.help(keysHint),
    ]
    return [`${wrapLine(head)} ${term === '' ? theme.style.help(filterHint) : term}`, below.filter(Boolean).join('\n')]
  },
)
