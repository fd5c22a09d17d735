// Lists the ten slowest test files at the end of a run.
import path from 'node:path'
import type {Reporter, TestModule} from 'vitest/node'

const filesShown = 10
const filesMin = 20

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length < filesMin) return
    const slowest = modules
      .map((module) => ({file: path.relative(process.cwd(), module.moduleId), ms: module.diagnostic().duration}))
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, filesShown)
    const lines = slowest.map(({file, ms}) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`)
    process.stdout.write(`\nSlowest files\n${lines.join('\n')}\n`)
  }
}
