// THE LIST of what was talked about, long ones and short ones mixed as they come.
import type { Story } from '../story.ts'
import { accessibility } from './accessibility.ts'
import { brokenBuild } from './broken-build.ts'
import { cssBug } from './css-bug.ts'
import { firstTests } from './first-tests.ts'
import { flakyTest } from './flaky-test.ts'
import { memoryLeak } from './memory-leak.ts'
import { migration } from './migration.ts'
import { newField } from './new-field.ts'
import { questions } from './questions.ts'
import { raceCondition } from './race-condition.ts'
import { rateLimit } from './rate-limit.ts'
import { releaseNotes } from './release-notes.ts'
import { slowQuery } from './slow-query.ts'
import { upgrade } from './upgrade.ts'
import { webhook } from './webhook.ts'

const KINDS: readonly (readonly Story[])[] = [
  newField,
  flakyTest,
  migration,
  cssBug,
  raceCondition,
  upgrade,
  slowQuery,
  releaseNotes,
  memoryLeak,
  brokenBuild,
  webhook,
  accessibility,
  rateLimit,
  firstTests,
]

/** One of each kind before the second of any, so that neighbours differ. */
export const stories: readonly Story[] = [0, 1, 2, 3].flatMap(round => KINDS.flatMap(kind => kind[round] ?? []))

export { questions }
