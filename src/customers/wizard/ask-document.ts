// Asks for the image of a document by its path, and checks the file.
import fs from 'node:fs'
import {describeEnter, keepHint} from '../../cli/wizard/ask-form.ts'
import {askLine, requiredMessage} from '../../cli/prompts/ask.ts'
import type {Question} from '../../cli/wizard/question.ts'
import {getValue} from '../../values/body-paths.ts'
import {findDocumentProblem, isDocumentPath, resolveDocumentPath} from '../documents.ts'

const resolvePath = (text: string) => resolveDocumentPath(text, process.cwd())

// Terminals quote the path of a file that is dragged into them, or escape its spaces.
function resolveTypedPath(text: string): string {
  if (/^(['"]).*\1$/.test(text)) return resolvePath(text.slice(1, -1))
  return resolvePath(fs.existsSync(resolvePath(text)) ? text : text.replaceAll('\\ ', ' '))
}

async function askDocument(current: unknown, {label, hint, isRequired}: Question): Promise<unknown> {
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
      const problem = await findDocumentProblem(resolveTypedPath(typed))
      return problem && `It ${problem}`
    },
    format: (typed) => typed || (content === undefined ? '(skipped)' : '(kept)'),
  })
  return text === '' ? content : resolveTypedPath(text)
}

// The members of a question that asks for a document.
export const documentPrompt = (field: string): Pick<Question, 'ask' | 'isAnswered'> => ({
  ask: (current, _, question) => askDocument(current, question),
  // The file of an earlier answer may be gone.
  async isAnswered(body) {
    const value = getValue(body, field)
    return !isDocumentPath(value) || (await findDocumentProblem(resolvePath(value))) === undefined
  },
})
