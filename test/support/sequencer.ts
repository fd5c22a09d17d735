// Starts the files that take longest first, so that no worker is left with one of them at the end.
import {BaseSequencer, type TestSpecification} from 'vitest/node'

const longest = [
  'money/matrix',
  'surface/built',
  'pages/browser/',
  'money/',
  'features/events/durability',
  'journeys/',
  'release/',
  'forms/fix-codes',
  'features/security/',
  'features/profiles/files',
  'sandbox/',
]

const rank = ({moduleId}: TestSpecification) => {
  const index = longest.findIndex((part) => moduleId.includes(`/test/${part}`))
  return index === -1 ? longest.length : index
}

export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's method.
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
