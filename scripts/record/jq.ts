// The jq of recorded commands, since not every machine has one.
import {text} from 'node:stream/consumers'
import {filterJson} from '../../test/support/filter-json.ts'

process.stdout.write(await filterJson(await text(process.stdin), process.argv.slice(2)))
