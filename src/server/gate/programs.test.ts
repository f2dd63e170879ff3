import { expect, test } from 'vitest'
import { agents } from '../../agents/index.ts'
import type { SessionRef } from '../../model/session.ts'

test.each(agents.map(agent => [agent.id, agent] as const))(
  '%s begins again with the command it resumes with',
  (_, agent) => {
    const known = { sessionId: 's', filePath: '/f', storeRoot: '/', updatedAt: 0, fileSize: 0, identity: 'i' }
    const resumes = agent.stores.flatMap(store => {
      const session: SessionRef = { ...known, agent: agent.id, generation: store.name }
      const resume = store.resume(session, {})
      return resume.type === 'command' ? [resume.command] : []
    })
    expect(new Set(resumes)).toEqual(new Set(agent.start === undefined ? [] : [agent.start().command]))
  },
)
