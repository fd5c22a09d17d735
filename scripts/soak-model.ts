// Plays many traces of the model against the real protocol: node scripts/soak-model.ts --traces 5000 --seed 1
import {parseArgs} from 'node:util'
import {countEndings, playTraces} from '../test/model/play-traces.ts'

const {values} = parseArgs({options: {traces: {type: 'string', default: '5000'}, seed: {type: 'string'}}})
const traces = Number(values.traces)
const first = values.seed === undefined ? Math.floor(Math.random() * 2 ** 30) : Number(values.seed)
const started = performance.now()
process.stderr.write(`${traces} traces of the model, from seed ${first}\n`)
const {played, problems} = await playTraces(first, traces)
for (const problem of problems) process.stderr.write(`${problem}\n`)
const minutes = ((performance.now() - started) / 60_000).toFixed(1)
process.stderr.write(`${countEndings(played)}\n`)
process.stderr.write(`${problems.length === 0 ? 'All ended the same' : 'WRONG'} (${minutes} min)\n`)
process.exitCode = problems.length === 0 ? 0 : 1
