// What a list shows of a session beyond what discovery knows. Learnt by reading it once, then remembered as long as its identity stays the same.
import { z } from 'zod'
import type { Shelf } from '../disk/state.ts'
import { openShelf } from '../disk/state.ts'
import type { Failure } from '../model/errors.ts'
import { failureOf, RethreadError } from '../model/errors.ts'
import { isConversation } from '../model/message.ts'
import { isPartial, PARTIAL_CODES } from '../model/reading.ts'
import type { SessionRef } from '../model/session.ts'
import type { Context } from './context.ts'
import { readSession } from './reading.ts'

const failureShape = z.object({
  agent: z.string(),
  code: z.custom<Failure['code']>(value => typeof value === 'string'),
  path: z.string(),
  text: z.string(),
  hint: z.string(),
})
const summaryShape = z.object({
  title: z.string().optional(),
  project: z.string().optional(),
  startedAt: z.string().optional(),
  updatedAt: z.string().optional(),
  subagentOf: z.string().optional(),
  messageCount: z.number(),
  /** Why the reading was partial; absent where it was complete. */
  partial: z.enum(PARTIAL_CODES).optional(),
  skipped: z.number(),
  /** Records were read, but none of them is conversation: a title without its session, for one. */
  isWithoutConversation: z.boolean(),
  failure: failureShape.optional(),
})
const storedShape = z.object({ identity: z.string(), summary: summaryShape })

export type Summary = z.infer<typeof summaryShape>

export interface Summaries {
  /** From memory where the session is unchanged; undefined where it has to be read. */
  known(session: SessionRef): Summary | undefined
  learn(session: SessionRef): Promise<Summary>
  close(): void
}

/** Raised whenever a summary means something else than before. */
const VERSION = 1

export function openSummaries(context: Context): Summaries {
  let shelf = openOwnShelf(context)
  // A full disk must not cost the list: from then on nothing is remembered.
  const attempt = (step: () => void): void => {
    try {
      step()
    } catch (error) {
      if (!(error instanceof RethreadError)) throw error
      shelf = undefined
      context.log.debug('Summaries cannot be remembered.', { code: error.code, path: error.path })
    }
  }
  return {
    known(session) {
      const stored = shelf?.get(keyOf(session))
      if (stored === undefined) return undefined
      const parsed = storedShape.safeParse(JSON.parse(stored))
      return parsed.success && parsed.data.identity === session.identity ? parsed.data.summary : undefined
    },
    async learn(session) {
      const summary = await summarize(context, session)
      // A failure may pass (a lock, a permission), so it is not remembered.
      if (summary.failure === undefined && summary.partial !== 'database-busy')
        attempt(() => shelf?.set(keyOf(session), JSON.stringify({ identity: session.identity, summary })))
      return summary
    },
    close: () => attempt(() => shelf?.close()),
  }
}

/** Without a state folder that can be written, everything is learnt anew each time. */
function openOwnShelf(context: Context): Shelf | undefined {
  try {
    return openShelf(context.state, `summaries-${VERSION}`)
  } catch (error) {
    if (!(error instanceof RethreadError)) throw error
    context.log.debug('Summaries cannot be remembered.', { code: error.code, path: error.path })
    return undefined
  }
}

async function summarize(context: Context, session: SessionRef): Promise<Summary> {
  try {
    return await readSummary(context, session)
  } catch (error) {
    const failure = failureOf(session.agent, error, session.filePath)
    return { messageCount: 0, skipped: 0, isWithoutConversation: false, failure }
  }
}

async function readSummary(context: Context, session: SessionRef): Promise<Summary> {
  const reading = readSession(context, session)
  let messageCount = 0
  for (;;) {
    const step = await reading.next()
    if (!step.done) {
      if (isConversation(step.value)) messageCount++
      continue
    }
    const { facts, counts, branches } = step.value
    const isWithoutConversation =
      messageCount === 0 && branches.length === 0 && counts.unknown === 0 && !isPartial(step.value)
    return {
      ...facts,
      messageCount,
      skipped: counts.skipped,
      isWithoutConversation,
      ...(isPartial(step.value) ? { partial: step.value.error.code } : {}),
    }
  }
}

function keyOf(session: SessionRef): string {
  return `${session.agent}\n${session.filePath}\n${session.sessionId}`
}
