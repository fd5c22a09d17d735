#!/usr/bin/env node
// Runs svc from its TypeScript sources, without a build.
'use strict'

Promise.all([import('../scripts/surface.ts'), import('../src/cli/main.ts')]).then(async function ([surface, entry]) {
  await entry.main(process.argv.slice(2), await surface.loadSurface())
})
