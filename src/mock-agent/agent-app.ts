// The mock agent's side of the protocol: one handler for each request.
import type {
  AgentApp,
  AgentContext,
  ClientCapabilities,
  InitializeResponse,
  PromptRequest,
  PromptResponse,
} from '@agentclientprotocol/sdk/unstable'
import { agent, methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk/unstable'
import type { ChosenFaults } from './chosen-faults.ts'
import type { Ability } from './options.ts'
import { runPrompt } from './prompts.ts'
import type { Session, Sessions } from './sessions.ts'
import { readAsked, Turn } from './turn.ts'

interface Parts {
  sessions: Sessions
  faults: ChosenFaults
  abilities: ReadonlySet<Ability>
}

export function makeAgentApp(parts: Parts): AgentApp {
  const { sessions, faults } = parts
  let capabilities: ClientCapabilities = {}
  const app = agent({ name: 'mock' })
    .onRequest(methods.agent.initialize, async ({ params }) => {
      await faults.initialize()
      capabilities = params.clientCapabilities ?? {}
      return describe(parts.abilities)
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, async ({ params }) => {
      await faults.create()
      const session = sessions.create(params.cwd)
      return { sessionId: session.id, modes: session.modes }
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      setMode(sessions.find(params.sessionId), params.modeId)
      return {}
    })
    .onRequest(methods.agent.session.prompt, ({ params, client, signal }) =>
      answerPrompt(parts, capabilities, params, client, signal),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.find(params.sessionId).cancel?.())
  addAbilities(app, parts)
  return app
}

function describe(abilities: ReadonlySet<Ability>): InitializeResponse {
  const can = (ability: Ability) => (abilities.has(ability) ? { [ability]: {} } : {})
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'mock', title: 'Mock agent', version: '1' },
    agentCapabilities: {
      loadSession: abilities.has('load'),
      promptCapabilities: { image: true, embeddedContext: true },
      sessionCapabilities: {
        ...can('resume'),
        ...can('list'),
        ...can('close'),
        ...can('delete'),
        ...can('fork'),
      },
    },
    authMethods: [],
  }
}

/** A missing ability has no handler, so that the client gets "method not found". */
function addAbilities(app: AgentApp, { sessions, faults, abilities }: Parts): void {
  const { session: names } = methods.agent
  const add: Record<Ability, () => AgentApp> = {
    load: () =>
      app.onRequest(names.load, async ({ params, client }) => {
        await faults.beforeLoad()
        const session = sessions.open(params.sessionId, params.cwd)
        await faults.load(session)
        await sendHistory(session, client)
        return { modes: session.modes }
      }),
    resume: () =>
      app.onRequest(names.resume, async ({ params }) => {
        await faults.beforeResume()
        return { modes: sessions.open(params.sessionId, params.cwd).modes }
      }),
    list: () => app.onRequest(names.list, ({ params }) => sessions.list(params.cwd, params.cursor)),
    fork: () =>
      app.onRequest(names.fork, ({ params }) => {
        const session = sessions.fork(params.sessionId, params.cwd)
        return { sessionId: session.id, modes: session.modes }
      }),
    close: () => app.onRequest(names.close, ({ params }) => sessions.close(params.sessionId)),
    delete: () => app.onRequest(names.delete, ({ params }) => sessions.remove(params.sessionId)),
  }
  for (const ability of abilities) add[ability]()
}

async function sendHistory(session: Session, client: AgentContext): Promise<void> {
  for (const update of session.entries.flatMap(entry => entry.updates))
    await client.notify(methods.client.session.update, { sessionId: session.id, update })
}

function setMode(session: Session, id: string): void {
  if (!session.modes.availableModes.some(mode => mode.id === id))
    throw RequestError.invalidParams(undefined, `there is no mode ${id}`)
  session.add(null, [{ sessionUpdate: 'current_mode_update', currentModeId: id }])
}

async function answerPrompt(
  { sessions, faults }: Parts,
  capabilities: ClientCapabilities,
  { sessionId, prompt }: PromptRequest,
  client: AgentContext,
  requestSignal: AbortSignal,
): Promise<PromptResponse> {
  const session = sessions.find(sessionId)
  if (session.cancel !== undefined) throw RequestError.invalidRequest(undefined, 'a turn is already running')
  const cancelling = new AbortController()
  session.cancel = () => cancelling.abort()
  const signal = AbortSignal.any([cancelling.signal, requestSignal])
  const turn = new Turn({ session, asked: readAsked(prompt), client, capabilities, faults, signal })
  try {
    const ended = await faults.prompt(turn)
    return { stopReason: ended ?? (await runPrompt(turn)) }
  } finally {
    session.isFreshlyOpened = false
    session.cancel = undefined
  }
}
