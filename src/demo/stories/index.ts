// THE LIST of the demo's stories. A new story is one template and one line here.
import type { Story, StoryTemplate } from '../story.ts'
import { storiesOf } from '../story.ts'
import { cssBug, flakyTest, memoryLeak, raceCondition, webhook } from './bugs.ts'
import { accessibility, firstTests, newField, rateLimit } from './features.ts'
import { brokenBuild, migration, slowQuery, upgrade } from './operations.ts'
import * as short from './short.ts'

const TEMPLATES: readonly StoryTemplate[] = [
  newField,
  flakyTest,
  migration,
  cssBug,
  raceCondition,
  upgrade,
  slowQuery,
  short.releaseNotes,
  memoryLeak,
  brokenBuild,
  webhook,
  accessibility,
  rateLimit,
  firstTests,
]

const BY_TEMPLATE = TEMPLATES.map(storiesOf)

/**
 * The first case of every template, then the second of every template, and so on, so that neighbours differ.
 */
export const stories: readonly Story[] = [0, 1, 2, 3].flatMap(round => BY_TEMPLATE.flatMap(cases => cases[round] ?? []))

export const questions: readonly Story[] = short.questions.flatMap(storiesOf)

/** The conversations of subagents. */
export const errands: readonly Story[] = short.errands.flatMap(storiesOf)
