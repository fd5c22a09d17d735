// Asks for the image of a document by its path, and checks the file.
import fs from 'node:fs'
import path from 'node:path'
import {describeEnter, keepHint} from '../../cli/wizard/ask-form.ts'
import {askLine, requiredMessage} from '../../cli/prompts/ask.ts'
import type {Question} from '../../cli/wizard/question.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {getStateFolder} from '../../storage/folders.ts'
import {fileMode, makePrivateFolder} from '../../storage/private-file.ts'
import {getValue} from '../../values/body-paths.ts'
import {createSampleDocument} from '../../values/documents.ts'
import {findDocumentProblem, isDocumentPath, resolveDocumentPath} from '../documents.ts'

const resolvePath = (text: string) => resolveDocumentPath(text, process.cwd())

// Terminals quote the path of a file that is dragged into them, or escape its spaces.
function resolveTypedPath(text: string): string {
  if (/^(['"]).*\1$/.test(text)) return resolvePath(text.slice(1, -1))
  return resolvePath(fs.existsSync(resolvePath(text)) ? text : text.replaceAll('\\ ', ' '))
}

// Typed in place of a path.
const sampleWord = 'sample'

const isSample = (text: string) => text === sampleWord && !fs.existsSync(sampleWord)

async function askDocument(
  current: unknown,
  {label, hint, isRequired}: Question,
  takesSample: boolean,
): Promise<unknown> {
  const resolveFile = (typed: string) => (takesSample && isSample(typed) ? writeOwnSample() : resolveTypedPath(typed))
  const initial = isDocumentPath(current) ? current : undefined
  // Content from a file has no path to show. It is kept unless a path is typed.
  const content = isDocumentPath(current) ? undefined : current
  const needsPath = isRequired && content === undefined
  const emptyHint = content === undefined ? describeEnter(initial) : keepHint
  const text = await askLine({
    message: `${label}:`,
    hint: needsPath ? hint : `${hint}. ${emptyHint}`,
    initial,
    check: async (typed) => {
      if (typed === '') return needsPath ? requiredMessage : undefined
      const problem = await findDocumentProblem(resolveFile(typed))
      return problem && `It ${problem}`
    },
    format: (typed) => typed || (content === undefined ? '(skipped)' : '(kept)'),
  })
  return text === '' ? content : resolveFile(text)
}

// The members of a question that asks for a document.
export const documentPrompt = (field: string): Pick<Question, 'ask' | 'isAnswered'> => ({
  ask: (current, _, question) => askDocument(current, question, false),
  // The file of an earlier answer may be gone.
  async isAnswered(body) {
    const value = getValue(body, field)
    return !isDocumentPath(value) || (await findDocumentProblem(resolvePath(value))) === undefined
  },
})

// Keeps the sample document where svc keeps its own files, so that a draft can name it. Returns the path.
function writeOwnSample(): string {
  const file = path.join(getStateFolder(), 'sample-document.png')
  makePrivateFolder(getStateFolder())
  fs.writeFileSync(file, createSampleDocument(), {mode: fileMode})
  return file
}

// In the sandbox, a word in place of a path stands for a sample document, so that nobody has to find an image to try it.
export const acceptSample =
  ({baseUrl}: Pick<Caller, 'baseUrl'>) =>
  (question: Question): Question => {
    if (baseUrl !== sandboxAddress || !question.isFile) return question
    return {
      ...question,
      hint: [question.hint, `“${sampleWord}” draws one`].filter(Boolean).join('; '),
      ask: (current, _, asked) => askDocument(current, asked, true),
    }
  }
