// For what can be read but not mended: the findings of the reader itself, each left alone.
import type { Agent } from '../agents/agent.ts'
import { isConversation } from '../model/message.ts'
import type { SessionRef } from '../model/session.ts'
import type { Examination } from './examination.ts'

export async function examineByReading(agent: Agent, session: SessionRef): Promise<Examination> {
  const ids = new Set<string>()
  const reading = agent.read(session)
  let step = await reading.next()
  for (; !step.done; step = await reading.next()) if (isConversation(step.value)) ids.add(step.value.id)
  const { findings, moreFindings, loads: now = ids.size, loadsMended = ids.size } = step.value
  const mendedBy = agent.generations[session.generation]?.mendedBy
  const reason =
    mendedBy === undefined
      ? 'Sessions that are kept in this way can be read, but not mended.'
      : `Sessions that are kept in this way are mended by a command of their own: ${mendedBy}`
  return {
    findings,
    moreFindings,
    changes: [],
    refusals: [...new Set(findings.map(({ damage }) => damage))].map(damage => {
      return { damage, reason, file: session.filePath }
    }),
    loads: { now, afterRepair: Math.max(now, loadsMended) },
    chainDepth: now,
    orphanCount: 0,
    messageCount: ids.size,
    ...(mendedBy === undefined || findings.length === 0 ? {} : { mendedBy }),
  }
}
