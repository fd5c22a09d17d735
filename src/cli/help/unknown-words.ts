// Describes words on the command line that svc does not accept, with the nearest known word. Possible secrets are masked.
import {isUuid} from '../../contract/ids.ts'
import {lookUp} from '../../values/records.ts'
import {quoteForShell} from '../../values/text.ts'
import {findNearest} from './find-nearest.ts'
import {answers, commands, nouns, verbs} from './words-of-others.ts'

// Common beginnings of keys and tokens. Long words that mix letters and digits are treated as secrets too.
const secretStart = /^(sk|pk|rk|api|key|tok|token|secret|bearer|whsec|gh[a-z])[-_]|^eyJ/i
const secretLengthMin = 24

function looksLikeSecret(word: string): boolean {
  // An id is no secret, and useful in an error message.
  if (isUuid(word)) return false
  const isMixed = /\d/.test(word) && /[a-z]/i.test(word) && !/[\s/]/.test(word)
  return secretStart.test(word) || (word.length >= secretLengthMin && isMixed)
}

const maskSecret = (word: string): string => (looksLikeSecret(word) ? '(not shown)' : word)

export interface UsageProblem {
  message: string
  hint?: string
}

const wordsShown = 2

// Some people write sentences: delete a customer.
const articles: ReadonlySet<string> = new Set(['a', 'an', 'the', 'my'])
const omitArticles = (words: readonly string[]) => words.filter((word) => !articles.has(word.toLowerCase()))

// `words` are what was typed before the first flag, `known` the commands as they are typed.
export function describeUnknownCommand(words: readonly string[], known: readonly string[]): UsageProblem {
  const shown = words.map(maskSecret)
  const typed = shown.slice(0, wordsShown).join(' ')
  const allCommands = '`svc help` lists all commands'
  if (typed === '') return {message: 'No command was given', hint: allCommands}
  const message = `There is no command "${typed}"`
  const answer = findAnswer(omitArticles(words))
  if (answer !== undefined) return {message, hint: answer}
  const isComplete = shown.every((word, index) => word === words[index])
  const read = omitArticles(isComplete ? shown.map(quoteForShell) : shown.slice(0, wordsShown))
  const habit = translateHabit(read, (name) => known.includes(name))
  if (habit !== undefined) return {message, hint: `In svc it is \`svc ${habit}\`; ${allCommands}`}
  const nearest = findNearest(typed, known)
  return {message, hint: nearest ? `Did you mean \`svc ${nearest}\`? ${allCommands}` : allCommands}
}

// Flags of other tools: short ones that svc has only in full, and other words for ours.
const habitualFlags: Readonly<Record<string, string>> = {
  '-q': 'quiet',
  '-v': 'verbose',
  '-y': 'yes',
  '--fields': 'columns',
  '--query': 'jq',
  '--format': 'output',
}

// What gh and docker have, and svc had once.
const insteadOfTemplates = "svc has no templates: print fields and text with --jq, such as --jq '.name'"

// How people try to say what is to arrive. The interface quotes only what is to be paid.
const arrivalFlag = /^--(receive|arriv|(to|destination|target|recipient|payout)-amount|amount-(to|received|arriving))/

function describeArrival(known: readonly string[]): string | undefined {
  if (!known.includes('amount') || !known.includes('to-currency')) return undefined
  return known.includes('receive')
    ? 'Say with --receive what is to arrive, and svc finds how much to send'
    : 'The service prices what is paid, and cannot be told what is to arrive: give --amount, and the quote says what arrives; `svc pay --receive` finds the amount'
}

export function describeUnknownFlags(
  words: readonly string[],
  known: readonly string[],
  commandLine: string,
): UsageProblem {
  // A value after = may be a secret.
  const names = words.map((word) => maskSecret(word.split('=', 1)[0] ?? word))
  const first = names[0] ?? ''
  const habitual = known.find((name) => name === lookUp(habitualFlags, first))
  const nearest = habitual
    ? `--${habitual}`
    : findNearest(
        first,
        known.map((name) => `--${name}`),
      )
  const allFlags = `\`${commandLine} --help\` lists all flags`
  if (first === '--template') return {message: 'Unknown flag --template', hint: `${insteadOfTemplates}; ${allFlags}`}
  const arrival = arrivalFlag.test(first) ? describeArrival(known) : undefined
  if (arrival !== undefined) return {message: `Unknown flag ${first}`, hint: `${arrival}; ${allFlags}`}
  return {
    message: names.length === 1 ? `Unknown flag ${names[0]}` : `Unknown flags ${names.join(', ')}`,
    hint: nearest ? `Did you mean ${nearest}? ${allFlags}` : allFlags,
  }
}

// A word after `svc login` is most likely the secret, whatever it looks like, so it is never repeated.
const secretAsArgument: UsageProblem = {
  message: '`svc login` takes no arguments, because a secret on the command line stays in the shell history',
  hint: 'Type the secret at the prompt or pass it on standard input, or set SVC_API_KEY and SVC_BASE_URL instead of logging in',
}

export function describeUnexpectedArguments(words: readonly string[], commandLine: string): UsageProblem {
  if (commandLine === 'svc login') return secretAsArgument
  const message = `Unexpected argument${words.length === 1 ? '' : 's'}: ${words.map(maskSecret).join(', ')}`
  if (commandLine !== 'svc pay') return {message}
  return {
    message,
    hint: 'Name the customer with --customer, and their accounts with --from and --to; at a terminal `svc pay` asks for what is missing',
  }
}

// For `transactions refund`, `refund payment ID` and `refund` alone or with an id.
function findAnswer(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words.map((word) => word.toLowerCase())
  const toTopic = (noun: string) => lookUp(nouns, noun) ?? noun
  const find = (topic: string, verb: string) =>
    answers.find(({topics, verbs: typed}) => topics.includes(topic) && typed.includes(verb))?.text
  if (methods.has(first) && second.startsWith('/')) return undefined
  const ofTopic = find(toTopic(first), second) ?? (second === '' ? undefined : find(toTopic(second), first))
  if (ofTopic !== undefined) return ofTopic
  const isNoun = Object.hasOwn(nouns, second) || Object.values(nouns).includes(second)
  return isNoun ? undefined : find('', first)
}

const methods = new Set(['get', 'post', 'patch', 'put', 'delete'])

type IsCommand = (name: string) => boolean

const withoutFlags = (command: string) => command.replace(/ -.*$/, '')

interface Translation {
  command: string
  // How many of the typed words it stands for. The others are arguments.
  wordCount: number
}

// `customers show` and, as kubectl has it, `describe customer`. `get customers` without a name is a list.
function translateNounAndVerb(
  first: string,
  second: string,
  isAlone: boolean,
  isCommand: IsCommand,
): string | undefined {
  const isVerbFirst = Object.hasOwn(verbs, first)
  const [noun, verb] = isVerbFirst ? [second, first] : [first, second]
  const topic = Object.hasOwn(nouns, noun) ? nouns[noun] : noun
  const known = Object.hasOwn(verbs, verb) ? (verbs[verb] ?? []) : [verb]
  const wanted = isVerbFirst && verb === 'get' && isAlone ? ['list', ...known] : known
  return wanted.map((name) => `${topic} ${name}`).find((name) => isCommand(withoutFlags(name)))
}

function translate(words: readonly string[], isCommand: IsCommand): Translation | undefined {
  const [first = '', second = ''] = words.map((word) => word.toLowerCase())
  if (methods.has(first) && second.startsWith('/')) return {command: `api ${first.toUpperCase()}`, wordCount: 1}
  for (const [typed, wordCount] of [
    [`${first} ${second}`, 2],
    [first, 1],
  ] as const) {
    const found = Object.hasOwn(commands, typed)
      ? commands[typed]?.find((name) => isCommand(withoutFlags(name)))
      : undefined
    // One word alone stands for itself; with another one behind it, a topic may be meant.
    if (found && (wordCount === 2 || second === '')) return {command: found, wordCount}
    if (wordCount === 2 && second !== '') {
      const command = translateNounAndVerb(first, second, words.length === 2, isCommand)
      if (command) return {command, wordCount}
    }
    if (found && wordCount === 1) return {command: found, wordCount}
  }
  const topic = Object.hasOwn(nouns, first) ? nouns[first] : undefined
  return topic !== undefined && second === '' ? {command: topic, wordCount: 1} : undefined
}

// These take no argument: a word behind them is most likely a customer.
const listsByCustomer: ReadonlySet<string> = new Set(['accounts list', 'transactions list', 'rules list'])

// `words` are what was typed, without flags. Returns our command with the same arguments.
function translateHabit(words: readonly string[], isCommand: IsCommand): string | undefined {
  const found = translate(words, isCommand)
  if (!found) return undefined
  const others = words.slice(found.wordCount)
  const needsFlag = others.length > 0 && listsByCustomer.has(found.command)
  return [found.command, ...(needsFlag ? ['--customer'] : []), ...others].join(' ')
}
