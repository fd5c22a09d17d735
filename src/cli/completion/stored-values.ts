// Reads the values that change: profiles, aliases, ids that were shown before, pages of docs/.
import fs from 'node:fs'
import path from 'node:path'
import {findCaller} from '../../profiles/caller.ts'
import {listSafeNames} from '../../profiles/profiles.ts'
import {readAliases} from '../aliases.ts'
import {toTopic} from '../docs/links.ts'
import type {EmbeddedFiles} from '../config.ts'
import {listSeenIds} from './seen-ids.ts'
import type {DynamicSource} from './value-sources.ts'

// Where the files of the package are: in its folder, or inside the single executable.
export interface PackageFiles {
  root: string
  embedded?: EmbeddedFiles | undefined
}

function listDocsTopics({root, embedded}: PackageFiles): string[] {
  const names = embedded
    ? embedded.names.filter((name) => /^docs\/.*\.md$/.test(name)).map((name) => name.slice('docs/'.length))
    : fs.globSync('**/*.md', {cwd: path.join(root, 'docs')})
  return names.map((name) => toTopic(name.split(path.sep).join('/'))).toSorted()
}

export function readStoredValues(
  source: DynamicSource,
  profile: string | undefined,
  files: PackageFiles,
): readonly string[] {
  if (source === 'profiles') return listSafeNames()
  if (source === 'aliases') return Object.keys(readAliases())
  if (source === 'pages') return listDocsTopics(files)
  if (source === 'zones') return ['UTC', ...Intl.supportedValuesOf('timeZone')]
  return listSeenIds(findCaller(profile)?.profileName, source)
}
