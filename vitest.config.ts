// How the tests run: a few processes that each load svc once and run one test file after the other.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import {defineConfig} from 'vitest/config'
import {getCacheFolder} from './test/support/cache-folder.ts'
import LongestFirst from './test/support/sequencer.ts'

const memoryFolder = '/dev/shm'
const memoryMinBytes = 1_000_000_000

// Temporary files are kept in memory where the system has a large enough folder for that, from which programs can be run.
function temporaryFolder(): string {
  try {
    const {bavail, bsize} = fs.statfsSync(memoryFolder)
    if (bavail * bsize < memoryMinBytes) return os.tmpdir()
    const probe = path.join(fs.mkdtempSync(path.join(memoryFolder, 'svc-probe-')), 'program')
    fs.writeFileSync(probe, '', {mode: 0o700})
    try {
      fs.accessSync(probe, fs.constants.X_OK)
    } finally {
      fs.rmSync(path.dirname(probe), {recursive: true})
    }
    return memoryFolder
  } catch {
    return os.tmpdir()
  }
}

const temporary = temporaryFolder()

// To start a program, a worker copies the table of its own pages, which takes ten times as long with a gigabyte of memory. These
// settings of the C library keep a worker from holding the memory of large buffers after they were freed.
const smallHeap = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: String(4 * 1024 * 1024),
  MALLOC_TRIM_THRESHOLD_: String(8 * 1024 * 1024),
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/build.ts',
    env: {
      TMPDIR: temporary,
      // Processes that tests start from source share what Node compiled.
      NODE_COMPILE_CACHE: path.join(getCacheFolder(temporary), 'sources'),
      ...smallHeap,
    },
    sequence: {sequencer: LongestFirst},
    disableConsoleIntercept: true,
    // The sources run as they are, as in `npm run dev`: Node strips the types faster than vite transforms them.
    server: {deps: {external: [/\/(src|scripts)\/.*\.ts$/]}},
    pool: 'forks',
    // Files share the loaded modules, so a test must not leave anything behind in them.
    isolate: false,
    // Only a test that hangs reaches these, so they are longer than a test takes on a machine with ten times as much to do.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: {poll: {timeout: 120_000}},
    // Many tests wait for a process, a browser or a timer, so more files than cores run at once.
    maxWorkers: os.availableParallelism() * 2,
  },
})
