// Asks for the image of a document by its path, checks the file, and offers to convert it.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {describeEnter, keepHint} from '../../cli/wizard/ask-step.ts'
import {printText} from '../../cli/wizard/print.ts'
import {askLine, askYesNo, requiredMessage} from '../../cli/wizard/prompts.ts'
import {type Question, type Step, isQuestion} from '../../cli/wizard/steps.ts'
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {getStateFolder} from '../../storage/folders.ts'
import {fileMode, makePrivateFolder} from '../../storage/private-file.ts'
import {createSampleDocument} from '../../values/documents.ts'
import {type ImageLibrary, convertImage, loadImageLibrary} from '../documents/convert-image.ts'
import {isDocumentPath, resolveDocumentPath} from '../documents/document-fields.ts'
import {inspectDocument, storeConvertedImage} from '../documents/document-file.ts'

// Terminals quote the path of a file that is dragged into them, or escape its spaces.
const unquote = (text: string) =>
  /^(['"]).*\1$/.test(text) ? text.slice(1, -1) : fs.existsSync(expandHome(text)) ? text : text.replaceAll('\\ ', ' ')

const resolveTypedPath = (text: string) => path.resolve(expandHome(unquote(text)))

// Typed in place of a path.
const sampleWord = 'sample'

const isSample = (text: string) => text === sampleWord && !fs.existsSync(sampleWord)

function findPathProblem(text: string, isRequired: boolean, takesSample: boolean): string | undefined {
  if (text === '') return isRequired ? requiredMessage : undefined
  if (takesSample && isSample(text)) return undefined
  const stats = fs.statSync(resolveTypedPath(text), {throwIfNoEntry: false})
  if (!stats) return 'There is no such file: check the path; Tab completes it'
  if (stats.isDirectory()) return 'It is a folder: name a file in it; Tab completes it'
  return stats.isFile() ? undefined : 'It is not a regular file'
}

const noLibraryNotice =
  'svc can convert pictures only if its optional image library is installed, and it is not: export the picture as JPG (on a Mac: sips -s format jpeg FILE --out NEW.jpg), or install svc with its optional dependencies'

const rotatedNotice =
  'The picture is rotated: the camera only recorded its orientation, and not every program applies that.'

async function offerConversion(library: ImageLibrary, file: string): Promise<boolean> {
  if (!(await askYesNo('Convert it to an accepted JPG? Your file is not changed', true))) return false
  const conversion = await convertImage(library, file)
  if ('problem' in conversion) {
    printText(`It ${conversion.problem}.`)
    return false
  }
  storeConvertedImage(file, conversion.image)
  return true
}

// Returns the problem with a file that cannot be solved by a conversion.
async function findFileProblem(file: string): Promise<string | undefined> {
  const {problem, isConvertible} = await inspectDocument(file)
  if (problem === undefined) return undefined
  if (!isConvertible) return `It ${problem}`
  return (await loadImageLibrary()) ? undefined : `It ${problem}. ${noLibraryNotice}`
}

// Whether the file can be sent, converted first if necessary.
async function acceptOrConvert(file: string): Promise<boolean> {
  const {problem, isRotated} = await inspectDocument(file)
  if (problem === undefined && !isRotated) return true
  printText(problem === undefined ? rotatedNotice : `It ${problem}.`)
  const library = await loadImageLibrary()
  if (library && (await offerConversion(library, file))) return true
  if (problem !== undefined) return false
  if (!library) printText(`${noLibraryNotice}.`)
  return askYesNo('Use it as it is?', true)
}

// Whether the file from an earlier answer still exists and is valid.
async function isUsableDocument(value: unknown): Promise<boolean> {
  if (!isDocumentPath(value)) return true
  const {problem} = await inspectDocument(resolveDocumentPath(value, process.cwd()))
  return problem === undefined
}

// Shown in place of a path.
const skippedText = '(skipped; “Change an answer” adds it before you send)'
const keptText = '(kept)'

async function askDocument(
  current: unknown,
  {label, hint, isRequired, warn}: Question,
  takesSample: boolean,
): Promise<unknown> {
  const resolveFile = (typed: string) => (takesSample && isSample(typed) ? writeOwnSample() : resolveTypedPath(typed))
  let initial = isDocumentPath(current) ? current : undefined
  // Content from a file has no path to show. It is kept unless a path is typed.
  const content = isDocumentPath(current) ? undefined : current
  const needsPath = isRequired && content === undefined
  for (;;) {
    const emptyHint = content === undefined ? describeEnter(initial) : keepHint
    const text = await askLine({
      message: `${label}:`,
      hint: needsPath ? hint : `${hint}. ${emptyHint}`,
      initial,
      check: (typed) => findPathProblem(typed, needsPath, takesSample),
      validate: async (typed) => (typed === '' ? undefined : findFileProblem(resolveFile(typed))),
      warn: (typed) => (typed === '' ? undefined : warn?.(resolveTypedPath(typed))),
      complete: completePath,
      format: (typed) => (typed === '' ? (content === undefined ? skippedText : keptText) : typed),
    })
    if (text === '') return content
    const file = resolveFile(text)
    if (await acceptOrConvert(file)) return file
    initial = text
  }
}

// The members of a question that asks for a document.
export const documentPrompt: Pick<Question, 'ask' | 'isUsable'> = {
  ask: (current, _, question) => askDocument(current, question, false),
  isUsable: isUsableDocument,
}

// The same in the sandbox, where a sample may be sent.
const askDocumentOrSample: NonNullable<Question['ask']> = (current, _, question) => askDocument(current, question, true)

// Keeps the sample document where svc keeps its own files, so that a draft can name it. Returns the path.
function writeOwnSample(): string {
  const file = path.join(getStateFolder(), 'sample-document.png')
  makePrivateFolder(getStateFolder())
  fs.writeFileSync(file, createSampleDocument(), {mode: fileMode})
  return file
}

// Completes the path of a file as a shell does when Tab is pressed.
const expandHome = (text: string) => text.replace(/^~(?=$|\/)/, os.homedir())

const findCommonPrefix = ([first = '', ...others]: readonly string[]) =>
  others.reduce((prefix, name) => {
    let length = 0
    while (length < prefix.length && prefix[length] === name[length]) length++
    return prefix.slice(0, length)
  }, first)

function listFolder(folder: string): string[] {
  try {
    return fs.readdirSync(folder || '.')
  } catch {
    // A folder that cannot be read offers no completion.
    return []
  }
}

// Extends the path as far as it is unambiguous. Hidden files are completed only after a typed dot.
export function completePath(text: string): string {
  if (text === '~') return '~/'
  const full = expandHome(text)
  const folder = full.endsWith('/') ? full : path.dirname(full)
  const start = full.endsWith('/') ? '' : path.basename(full)
  const matches = listFolder(folder).filter((name) => name.startsWith(start) && (start !== '' || !name.startsWith('.')))
  if (matches.length === 0) return text
  const prefix = findCommonPrefix(matches)
  const isFolder =
    matches.length === 1 && fs.statSync(path.join(folder, prefix), {throwIfNoEntry: false})?.isDirectory()
  const completed = text.slice(0, text.length - start.length) + prefix
  return isFolder ? `${completed}/` : completed
}

// In the sandbox, a word in place of a path stands for a sample document, so that nobody has to find an image to try it.
const takesSamples = (destination: Pick<Caller, 'baseUrl'> | undefined) => destination?.baseUrl === sandboxAddress

export function printSampleHint(destination: Pick<Caller, 'baseUrl'> | undefined): void {
  if (takesSamples(destination)) {
    printText(`In the sandbox, type “${sampleWord}” where an image is asked for, and svc draws one.`)
  }
}

// Returns a function that lets the questions for an image accept the word.
export const acceptSample =
  (destination: Pick<Caller, 'baseUrl'> | undefined) =>
  (step: Step): Step => {
    if (!takesSamples(destination) || !isQuestion(step) || !step.isFile) return step
    return {
      ...step,
      hint: [step.hint, `“${sampleWord}” draws one`].filter(Boolean).join('; '),
      ask: askDocumentOrSample,
    }
  }
