// Plays many traces of the model against the real protocol: node scripts/soak-model.ts --traces 5000 --seed 1
import {countEndings, playTraces} from '../test/money/play-traces.ts'
import {pickSeed, runSoak} from './soak.ts'

await runSoak({traces: 5000, seed: pickSeed()}, async ({traces, seed}) => {
  const {played, problems} = await playTraces(seed, traces)
  return {seed, ended: countEndings(played), wrong: problems}
})
