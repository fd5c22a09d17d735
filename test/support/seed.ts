// The seed of what the tests play by chance. It comes from the commit: each commit plays other cases, and the same commit the same
// ones wherever it is tested, so a failure of CI can be repeated. SVC_TEST_SEED sets another one.
import {spawnSync} from 'node:child_process'

const given = process.env['SVC_TEST_SEED']

export const isSeedGiven = given !== undefined

function readCommit(): string | undefined {
  const {status, stdout} = spawnSync('git', ['rev-parse', 'HEAD'], {cwd: import.meta.dirname, encoding: 'utf8'})
  return status === 0 ? stdout : undefined
}

// Seven hexadecimal digits are less than 2^31.
const chooseSeed = (commit = readCommit()) =>
  commit === undefined ? Math.floor(Math.random() * 2 ** 28) : Number.parseInt(commit.slice(0, 7), 16)

export const seed = given === undefined ? chooseSeed() : Number(given)
