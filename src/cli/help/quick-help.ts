// Answers requests for help without the rest of svc, which takes longer to load than to answer. bin/run.js calls this.
import {SvcError} from '../../errors.ts'
import {isHelpWanted, isOwnWord, moveCommandFirst} from '../argv.ts'
import {renderHelpFor} from './help.ts'
import type {HelpSource} from './help-source.ts'

// The page that is opened by another command has the help of that command; main.ts knows which.
const renamedWords = new Set(['open'])

// A topic alone shows its commands, unless it is a command too.
const isTopicAlone = ({commands, topics}: HelpSource, argv: readonly string[]) =>
  argv.length === 1 && Object.hasOwn(topics, argv[0] ?? '') && commands.every(({id}) => id !== argv[0])

// Resolves with undefined if main.ts has to answer: something else is asked for, or the answer is an error.
export async function renderQuickHelp(
  words: string[],
  stream: {isTTY?: boolean; columns?: number},
  source: HelpSource,
): Promise<string | undefined> {
  const argv = moveCommandFirst(words)
  const [first] = argv
  // In a terminal, svc alone is the start page.
  if (first === undefined && stream.isTTY) return undefined
  if (!isHelpWanted(argv) && !isTopicAlone(source, argv)) return undefined
  // An alias is found in the settings, which only main.ts reads.
  if (first !== undefined && !first.startsWith('-') && (!isOwnWord(source, first) || renamedWords.has(first))) {
    return undefined
  }
  return renderHelpFor(stream, source, argv).catch((error: unknown) => {
    if (error instanceof SvcError) return undefined
    throw error
  })
}
