// THE LIST: the rungs from top to bottom.
import { restoreByLoad } from './by-load.ts'
import { restoreByNewSession } from './by-new-session.ts'
import { restoreByRepair } from './by-repair.ts'
import { restoreByResume } from './by-resume.ts'
import type { RestoreStrategy } from './strategy.ts'

export const strategies: readonly RestoreStrategy[] = [
  restoreByResume,
  restoreByLoad,
  restoreByRepair,
  restoreByNewSession,
]
