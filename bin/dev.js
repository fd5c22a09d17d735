#!/usr/bin/env node
// Runs svc from its TypeScript sources, without a build.
'use strict'

Promise.all([import('../scripts/surface.ts'), import('../src/cli/main.ts')]).then(async function ([surface, entry]) {
  var words = process.argv.slice(2)
  await entry.main(words, await surface.loadSurface(words))
})
