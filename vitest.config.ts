// How the tests run: real processes and real files, so each test may take a while, and few run at once.
import {defineConfig} from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    disableConsoleIntercept: true,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
  },
})
