// Plays a scenario in an imported sandbox. It is loaded when one is played, because it brings the parser of YAML.
import {type PlayOptions, createPlayFailure, playScenario} from '../sandbox/scenarios/play-scenario.ts'
import {readScenario} from '../sandbox/scenarios/read-scenario.ts'
import type {Sandbox} from '../sandbox/sandbox.ts'
import type {PlayedStep} from './sandbox-types.ts'

export async function playAll(sandbox: Sandbox, text: string, options: PlayOptions): Promise<PlayedStep[]> {
  const steps: PlayedStep[] = []
  for await (const played of playScenario(sandbox, await readScenario(text), options)) {
    if (!played.ok) throw createPlayFailure(played)
    const {ok: _, ...step} = played
    steps.push(step)
  }
  return steps
}
