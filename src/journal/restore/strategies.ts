// THE LIST of restore strategies, in the order in which they are tried.
import { restoreByLoad } from './by-load.ts'
import { restoreByRepair } from './by-repair.ts'
import { restoreByReplay } from './by-replay.ts'
import { restoreByResume } from './by-resume.ts'
import type { RestoreStrategy } from './strategy.ts'

export const strategies: readonly RestoreStrategy[] = [restoreByResume, restoreByLoad, restoreByRepair, restoreByReplay]
