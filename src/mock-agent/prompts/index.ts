// All that a prompt can ask for, in the order in which it is tried.
import type { Asked } from '../prompt-text.ts'
import { commands } from './commands.ts'
import { echo } from './echo.ts'
import { error } from './error.ts'
import { history } from './history.ts'
import { markdown } from './markdown.ts'
import { mode } from './mode.ts'
import { permission } from './permission.ts'
import { plan } from './plan.ts'
import type { Prompt } from './prompt.ts'
import { question } from './question.ts'
import { read } from './read.ts'
import { run } from './run.ts'
import { slow } from './slow.ts'
import { stream } from './stream.ts'
import { think } from './think.ts'
import { title } from './title.ts'
import { tool } from './tool.ts'
import { write } from './write.ts'

/** By their names anywhere in the text. */
const ANYWHERE: readonly Prompt[] = [permission, question, error, tool]
/** By their names as the first word. */
const FIRST_WORD: readonly Prompt[] = [
  stream,
  slow,
  think,
  plan,
  markdown,
  history,
  read,
  write,
  run,
  mode,
  title,
  commands,
]

export function findPrompt({ first, word }: Asked): Prompt {
  const text = first.toLowerCase()
  return ANYWHERE.find(({ name }) => text.includes(name)) ?? FIRST_WORD.find(({ name }) => name === word) ?? echo
}
