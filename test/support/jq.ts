// The command `jq` of the scripts that tests run in a shell.
import {text} from 'node:stream/consumers'
import {filterJson} from './filter-json.ts'

process.stdout.write(await filterJson(await text(process.stdin), process.argv.slice(2)))
