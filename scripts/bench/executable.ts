// Rows for the start-up of the single executable that `npm run package` built for this platform, against bare Node like the rows of
// the installed tarball.
import {execFileSync} from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import {readPackage, root} from '../surface.ts'
import {type Bench, type Row, takeTurns} from './row.ts'
import {runTimed, toCost} from './run-timed.ts'
import {createEnv} from './start-up.ts'

const usualRounds = 30
const warmUps = 3

const release = `svc-${readPackage().version}-${process.platform}-${process.arch}`
const archive = path.join(root, 'release', `${release}.tar.gz`)

const shareExecutable = ({share, folder}: Bench) =>
  share('executable', async () => {
    execFileSync('tar', ['-xzf', archive, '-C', folder, `${release}/svc`])
    return {value: path.join(folder, release, 'svc')}
  })

const createRow = (name: string, words: string, atMost: number): Row => ({
  name,
  title: `svc ${words}, executable`,
  unit: 'ms',
  comparator: {name: 'node -e 0', leavesOut: 'everything: it is the time that Node takes to start and end'},
  bound: {atMost},
  measure: async (bench) => {
    if (!fs.existsSync(archive))
      return bench.skip('because `npm run package` has not built an executable for this platform')
    const program = await shareExecutable(bench)
    const env = createEnv(bench.folder)
    const own = async () => toCost(await runTimed([program, ...words.split(' ')], {env}))
    const base = async () => toCost(await runTimed([process.execPath, '-e', '0'], {env}))
    return {rounds: await takeTurns(bench.countRounds(usualRounds), own, base, warmUps)}
  },
})

export const executableRows: readonly Row[] = [
  createRow('executable-version', '--version', 1.2),
  createRow('executable-help', '--help', 1.3),
  createRow('executable-list', 'customers list -p sandbox', 3),
]
