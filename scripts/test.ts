// Runs the tests of the gate, or with --all also those of a release, and the checks beside them. Other arguments go to vitest.
import {spawn} from 'node:child_process'
import {once} from 'node:events'
import {runChecks} from './check.ts'
import {root} from './surface.ts'

const given = process.argv.slice(2)
const others = given.filter((word) => word !== '--all')
const selection = given.includes('--all') ? [] : ['--exclude', 'test/release/**']
const args = ['node_modules/vitest/vitest.mjs', 'run', ...selection, ...others]
const tests = once(spawn(process.execPath, args, {cwd: root, stdio: 'inherit'}), 'close')

const [[code], failures] = await Promise.all([tests, runChecks()])
// At the end, where they are seen.
process.stderr.write(failures)
process.exitCode = code === 0 && failures === '' ? 0 : 1
