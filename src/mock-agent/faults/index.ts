// All faults, by what `--fault` calls them.
import { dieMidStream } from './die-mid-stream.ts'
import { dieOnInitialize } from './die-on-initialize.ts'
import { dieOnLoad } from './die-on-load.ts'
import { dieOnNew } from './die-on-new.ts'
import { dieOnPrompt } from './die-on-prompt.ts'
import { dieOnResume } from './die-on-resume.ts'
import { emptyLoad } from './empty-load.ts'
import { eraseOnLoad } from './erase-on-load.ts'
import type { Fault } from './fault.ts'
import { flood } from './flood.ts'
import { garbage } from './garbage.ts'
import { refuseLoad } from './refuse-load.ts'
import { refuseNew } from './refuse-new.ts'
import { refusePromptAfterLoad } from './refuse-prompt-after-load.ts'
import { refuseResume } from './refuse-resume.ts'
import { silent } from './silent.ts'
import { silentInitialize } from './silent-initialize.ts'
import { unknownUpdates } from './unknown-updates.ts'
import { zombieChild } from './zombie-child.ts'

export const FAULTS: readonly Fault[] = [
  dieOnInitialize,
  dieOnNew,
  dieOnLoad,
  dieOnResume,
  dieOnPrompt,
  dieMidStream,
  refuseNew,
  refuseLoad,
  refuseResume,
  refusePromptAfterLoad,
  emptyLoad,
  eraseOnLoad,
  silent,
  silentInitialize,
  garbage,
  flood,
  unknownUpdates,
  zombieChild,
]
