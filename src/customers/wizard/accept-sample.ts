// In the sandbox, a word in place of a path stands for a sample document, so that nobody has to find an image to try it.
import type {Caller} from '../../profiles/caller.ts'
import {sandboxAddress} from '../../profiles/profiles.ts'
import {printText} from '../../cli/wizard/print.ts'
import {type Step, isQuestion} from '../../cli/wizard/steps.ts'
import {askDocumentOrSample, sampleWord} from './ask-document.ts'

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
