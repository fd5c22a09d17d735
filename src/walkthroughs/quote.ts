// The conversation that builds the body of a quote: from where to where, how much, for which fee. `svc pay` asks the same.
import type {Client} from '../client/client.ts'
import {judgedQuote, withFeeType} from '../requests/quote.ts'
import type {Body} from '../terminal/assignments.ts'
import {textOf} from '../terminal/view.ts'
import {type Conversation, converse} from './conversation.ts'
import {Directory} from './directory.ts'
import {draftsIn} from './drafts.ts'
import {valueAt} from './places.ts'
import {askYesNo, keysInWords} from './prompts.ts'
import type {Answers, Question} from './questions.ts'
import {type Route, opened, pathOf, routeQuestions, unsaid} from './route.ts'
import {say} from './say.ts'
import {feeQuestions, inWordsForTyping, sumHint} from './sums.ts'

const amountQuestion = (route: Route, body: Body): Question => ({
  path: 'source.sourceAmount',
  label: `How much leaves, in ${textOf(valueAt(body, pathOf(route, 'source', 'Currency')))}`,
  hint: sumHint,
  kind: 'text',
  isRequired: true,
})

// Not to ask for a guarantee is to leave the field out, as without the flag.
const guaranteeQuestion: Question = {
  path: 'guaranteeQuote',
  label: 'Have the amount that arrives guaranteed?',
  kind: 'yes-no',
  isRequired: false,
  ask: async (present) =>
    (await askYesNo('Have the amount that arrives guaranteed?', present === true)) ? true : undefined,
}

const questionsOf = (route: Route, body: Body): Question[] => [
  ...routeQuestions(route, body),
  amountQuestion(route, body),
  ...feeQuestions(body, {path: 'developerFee', currency: pathOf(route, 'source', 'Currency')}),
  guaranteeQuestion,
]

export interface QuoteTalk {
  // The command that asks, for which a draft is kept.
  command: string
  // What else is never asked, such as a guarantee that the limits of a payment ask for by themselves.
  withoutQuestions?: readonly string[] | undefined
}

// Completes what was given, by asking. The body is that of the same command with flags.
export async function quoteByConversation(
  client: Client,
  given: Body,
  {command, withoutQuestions = []}: QuoteTalk,
): Promise<Body> {
  const directory = new Directory(client)
  const route: Route = {directory, given, within: '', canPay: () => true, payers: 'account'}
  const start: Answers = {body: await opened(route), forks: {}}
  const conversation: Conversation = {
    steps: ({body}) => unsaid(questionsOf(route, body), given).filter(({path}) => !withoutQuestions.includes(path)),
    problems: (body) => inWordsForTyping(judgedQuote(body).problems),
    drafts: draftsIn(undefined, command, '-f'),
  }
  say(keysInWords)
  const {body} = await converse(start, conversation)
  return withFeeType(body)
}
