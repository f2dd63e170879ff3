// THE LIST: the rungs from top to bottom.
import { loadRung } from './load.ts'
import { repairRung } from './repair.ts'
import { replayRung } from './replay.ts'
import { resumeRung } from './resume.ts'
import type { RungDefinition } from './rung.ts'

export const rungs: readonly RungDefinition[] = [resumeRung, loadRung, repairRung, replayRung]
