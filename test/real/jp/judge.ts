// JP's own loader behind standard input and output: see README.md.
import { spawnSync } from 'node:child_process'
import { z } from 'zod'

const answerSchema = z.object({
  jp: z.enum(['loads', 'fails', 'trash', 'query']),
  /** The resolved configuration, if it was asked for. */
  config: z.unknown().optional(),
})
export type Answer = z.infer<typeof answerSchema>
export type Judge = (conversations: readonly object[]) => Answer[]

export function makeJudge(program: string): Judge {
  return conversations => {
    const input = conversations.map(files => `${JSON.stringify(files)}\n`).join('')
    const { stdout } = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
    const answers = stdout.trimEnd().split('\n').filter(Boolean)
    if (answers.length !== conversations.length) throw new Error(`${program} gave ${answers.length} answers.`)
    return answers.map(line => answerSchema.parse(JSON.parse(line)))
  }
}
