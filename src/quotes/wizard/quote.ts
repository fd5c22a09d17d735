// The conversation that builds the body of a quote: from where to where, how much, for which fee. `svc pay` asks the same.
import type {Client} from '../../client/client.ts'
import {judgedQuote, withFeeType} from '../body.ts'
import type {Body} from '../../cli/body/assignments.ts'
import {toText} from '../../cli/output/view.ts'
import {converse} from '../../cli/wizard/wizard.ts'
import {Directory} from '../../accounts/directory.ts'
import {draftsIn} from '../../cli/wizard/drafts.ts'
import {valueAt} from '../../cli/wizard/paths.ts'
import {askYesNo, keysInWords} from '../../cli/wizard/prompts.ts'
import type {Answers, Question} from '../../cli/wizard/questions.ts'
import type {Reviewed} from '../../cli/wizard/review.ts'
import {type Route, opened, pathOf, routeQuestions, unsaid} from './route.ts'
import {say} from '../../cli/wizard/print.ts'
import {type Send, sentOrChanged} from '../../cli/wizard/sending.ts'
import {feeQuestions, inWordsForTyping, sumHint} from './amounts.ts'

const amountQuestion = (route: Route, body: Body): Question => ({
  path: 'source.sourceAmount',
  label: `How much leaves, in ${toText(valueAt(body, pathOf(route, 'source', 'Currency')))}`,
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

// Completes what was given, by asking, and sends it. The body is that of the same command with flags.
export async function quoteByConversation<T>(
  client: Client,
  given: Body,
  {command, withoutQuestions = []}: QuoteTalk,
  send: Send<T>,
): Promise<T> {
  const directory = new Directory(client)
  const route: Route = {directory, given, within: '', canPay: () => true, payers: 'account'}
  const start: Answers = {body: await opened(route), forks: {}}
  const conversation: Reviewed = {
    steps: ({body}) => unsaid(questionsOf(route, body), given).filter(({path}) => !withoutQuestions.includes(path)),
    problems: (body) => inWordsForTyping(judgedQuote(withFeeType(body)).problems),
    drafts: draftsIn(undefined, command, '-f'),
    sending: 'Try again',
  }
  say(keysInWords)
  return sentOrChanged(await converse(start, conversation), conversation, (body) => send(withFeeType(body)))
}
