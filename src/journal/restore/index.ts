// THE LIST: the rungs from top to bottom.
import { loadRung } from './by-load.ts'
import { repairRung } from './by-repair.ts'
import { replayRung } from './by-replay.ts'
import { resumeRung } from './by-resume.ts'
import type { RungDefinition } from './strategy.ts'

export const rungs: readonly RungDefinition[] = [resumeRung, loadRung, repairRung, replayRung]
