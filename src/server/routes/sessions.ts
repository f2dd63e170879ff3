// GET /api/sessions and GET /api/sessions/KEY.
import { createRoute } from '@hono/zod-openapi'
import { resumeOf } from '../../agents/resume.ts'
import { agentById } from '../../catalog/context.ts'
import { JOURNAL_AGENT } from '../../journal/as-agent/index.ts'
import { lineOf, quoteWord } from '../../model/paste.ts'
import type { LabelRequest, SessionDetail } from '../api.ts'
import { labelChangeSchema, sessionDetailSchema, sessionsPageSchema, sessionsQuerySchema } from '../api.ts'
import type { App } from '../http.ts'
import type { Services } from '../services.ts'
import type { ServedSession } from '../sessions/index.ts'
import { whenKnown } from '../sessions/when-known.ts'
import { failures, jsonResponse, keyParameter, servedBy } from './common.ts'

const list = createRoute({
  method: 'get',
  path: '/api/sessions',
  summary: 'List sessions of all agents: filtered, sorted, paged',
  request: { query: sessionsQuerySchema },
  responses: { 200: jsonResponse(sessionsPageSchema, 'One page, and where the next begins.'), ...failures },
})

const one = createRoute({
  method: 'get',
  path: '/api/sessions/{key}',
  summary: 'One session: its facts, and how its agent resumes it',
  request: { params: keyParameter },
  responses: { 200: jsonResponse(sessionDetailSchema, 'The session.'), ...failures },
})

const label = createRoute({
  method: 'post',
  path: '/api/sessions/{key}/label',
  summary: 'Name, pin, tag or hide a session. Kept by rethread; the files of the agent stay as they are',
  request: {
    params: keyParameter,
    body: { content: { 'application/json': { schema: labelChangeSchema } }, required: true },
  },
  responses: { 200: jsonResponse(sessionDetailSchema, 'The session.'), ...failures },
})

export function addSessions(app: App, services: Services): void {
  // A page that was open before the server started may request a session before it is found.
  app.use('/api/sessions/:key/*', async (context, next) => {
    const key = context.req.param('key')
    await untilFound(services, key, context.req.raw.signal)
    // The file may have been restored since.
    if (services.sessions.gone(key) !== undefined) await services.sessions.renew(key)
    await next()
  })
  app.openapi(list, context => {
    services.rescanIfStale()
    // The overall progress, so that all clients show the same.
    return context.json({ ...services.sessions.query(context.req.valid('query')), progress: services.progress() }, 200)
  })
  app.openapi(label, async context =>
    context.json(await changeLabel(services, context.req.valid('param').key, context.req.valid('json')), 200),
  )
  app.openapi(one, context => {
    return context.json(describe(services, servedBy(services, context.req.valid('param').key)), 200)
  })
}

async function changeLabel(services: Services, key: string, wanted: LabelRequest): Promise<SessionDetail> {
  const { row } = servedBy(services, key)
  const { name, pinned, hidden, tags } = wanted
  await services.sessions.label(key, {
    ...(name === undefined ? {} : { name }),
    ...(pinned === undefined ? {} : { isPinned: pinned }),
    ...(hidden === undefined ? {} : { isHidden: hidden }),
    ...(tags === undefined ? {} : { addTags: tags, removeTags: (row.tags ?? []).filter(tag => !tags.includes(tag)) }),
  })
  return describe(services, servedBy(services, key))
}

async function untilFound({ sessions }: Services, key: string, signal: AbortSignal): Promise<void> {
  if (sessions.get(key) !== undefined || sessions.progress.phase !== 'finding') return
  await new Promise<void>(resolve => {
    signal.addEventListener('abort', () => resolve())
    whenKnown(sessions, key, signal, resolve)
  })
}

function describe(services: Services, served: ServedSession): SessionDetail {
  const { row, session } = served
  const agent = agentById(services.context, session.agent)
  const resume = resumeOf(agent, session, row.project === null ? {} : { project: row.project })
  const relatives = [...services.sessions.all()].filter(other => other.row.agent === row.agent)
  const withId = (id: string | undefined): ReturnType<typeof brief> | null => {
    const found = id === undefined ? undefined : relatives.find(other => other.row.sessionId === id)
    return found === undefined ? null : brief(found)
  }
  return {
    ...row,
    agentTitle: agent.title,
    ...(session.agent === JOURNAL_AGENT ? { conversation: session.sessionId } : {}),
    resume:
      resume.type === 'command'
        ? {
            type: 'command',
            line: lineOf(resume.program, undefined, process.platform),
            folder: resume.folder ?? null,
          }
        : resume,
    quotedId: quoteWord(session.sessionId),
    isSanitized: agent.sanitize !== undefined && session.archived === undefined,
    subagents: relatives.filter(other => other.row.subagentOf === row.sessionId).map(brief),
    parent: withId(row.subagentOf),
    origin: withId(row.forkedFrom),
  }
}

function brief({ key, row }: ServedSession): { key: string; sessionId: string; title: string | null } {
  return { key, sessionId: row.sessionId, title: row.title }
}
