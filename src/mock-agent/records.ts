// What a session of the mock agent is made of: whole messages and tool calls, each as the updates in which a load tells them again.
import type { ContentBlock, SessionUpdate } from '@agentclientprotocol/sdk/unstable'
import { z } from 'zod'
import { splitLines } from '../bytes/lines.ts'

const update = z.custom<SessionUpdate>(value => z.object({ sessionUpdate: z.string() }).safeParse(value).success)

const entry = z.object({
  type: z.literal('entry'),
  /** Whose message it is; null for what is none: a tool call, a plan, a title. */
  role: z.enum(['user', 'assistant']).nullable(),
  updates: z.array(update),
})
const header = z.object({ type: z.literal('session'), id: z.string(), cwd: z.string() })
const record = z.discriminatedUnion('type', [header, entry])

export type Entry = z.infer<typeof entry>
export type Header = z.infer<typeof header>

export interface StoredSession {
  cwd: string
  entries: Entry[]
  /** Lines that are no records. */
  skipped: number
}

export function readRecords(bytes: Buffer): StoredSession {
  const stored: StoredSession = { cwd: '/', entries: [], skipped: 0 }
  for (const line of splitLines([bytes])) {
    const found = parseRecord(line.bytes)
    if (found === undefined) stored.skipped++
    else if (found.type === 'session') stored.cwd = found.cwd
    else stored.entries.push(found)
  }
  return stored
}

function parseRecord(bytes: Buffer): Entry | Header | undefined {
  try {
    return record.safeParse(JSON.parse(bytes.toString())).data
  } catch {
    return undefined
  }
}

const REPLAY_META = 'rethread/replay'
const REPLAY_TEXT = '[rethread replay]'

/** What was put in front of a prompt so that the agent knows what was said before it: no words of the person. */
export function isReplay(block: ContentBlock): boolean {
  if (block._meta?.[REPLAY_META] !== undefined) return true
  return block.type === 'text' && block.text.startsWith(REPLAY_TEXT)
}
