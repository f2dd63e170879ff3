// A conversation with the mock agent over the HTTP API and the socket, as the page has it.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { identifyProcess } from '../../src/disk/processes/process-identity.ts'
import { type BegunTalk, begunSchema, type LiveMessage, type TalkState } from '../../src/server/api.ts'
import type { RunningServer } from '../../src/server/app.ts'
import type { ServerMessage } from '../../src/server/protocol.ts'
import { killProcess } from './kill-process.ts'
import type { ServerStage } from './server.ts'
import type { SocketClient } from './socket-client.ts'

export interface Talking extends BegunTalk {
  path: string
  client: SocketClient
  say(text: string): Promise<void>
  /** The newest state that is so, be it there already or still to come. */
  sees(isSo: (state: TalkState) => boolean): Promise<TalkState>
  /** Said here; answered, and nothing under way. */
  asks(text: string): Promise<TalkState>
  /** As they were reported so far, the last of each id. */
  messages(): LiveMessage[]
}

export async function beginTalk(stage: ServerStage, agent = 'mock'): Promise<Talking> {
  const answer = await stage.post('/api/conversations', { agent, folder: stage.home })
  if (answer.status !== 200) throw new Error(`It was not begun: ${answer.text}`)
  return await watchTalk(stage, answer.as(begunSchema))
}

export async function watchTalk(stage: ServerStage, begun: BegunTalk): Promise<Talking> {
  const client = await stage.client()
  client.send({ type: 'conversation.watch', requestId: 'watch', id: begun.key })
  await client.sees('conversation.state')
  const path = `/api/conversations/${begun.id}`
  const last = (): TalkState | undefined => client.got.findLast(message => message.type === 'conversation.state')
  const talking: Talking = {
    ...begun,
    path,
    client,
    async say(text) {
      const { status, text: said } = await stage.post(`${path}/prompt`, { text })
      if (status !== 202) throw new Error(`It was not taken: ${said}`)
    },
    async sees(isSo) {
      const isThere = (): boolean => {
        const state = last()
        return state !== undefined && isSo(state)
      }
      await client.until(isThere, 'such a state')
      const state = last()
      if (state === undefined) throw new Error('It was there a moment ago.')
      return state
    },
    async asks(text) {
      const before = client.got.length
      await talking.say(text)
      await client.until(() => isTurnOver(client.got.slice(before)), 'the end of the turn')
      return await talking.sees(() => true)
    },
    messages() {
      const notified = new Map<string, LiveMessage>()
      for (const message of client.got)
        if (message.type === 'conversation.messages') for (const one of message.messages) notified.set(one.id, one)
      return [...notified.values()]
    },
  }
  return talking
}

/** A turn that begins and ends within one pause of the watchers is never reported as busy: its prompt is reported all the same. */
function isTurnOver(got: readonly ServerMessage[]): boolean {
  const end = got.findLastIndex(message => message.type === 'conversation.state' && message.status !== 'busy')
  const isBusyLater = got.slice(end + 1).some(message => message.type === 'conversation.state')
  return !isBusyLater && got.slice(0, Math.max(end, 0)).some(hasBegun)
}

function hasBegun(message: ServerMessage): boolean {
  if (message.type === 'conversation.state') return message.status === 'busy'
  return message.type === 'conversation.messages' && message.messages.some(({ role }) => role === 'user')
}

const processSchema = z.object({ pid: z.number().int().positive() })

export async function killAgents({ services }: RunningServer): Promise<void> {
  const { store } = await services.conversations.open()
  for (const { process: agent } of await store.listOpenConnections()) await killProcess(processSchema.parse(agent).pid)
}

/** The newest conversation belongs to a process that is alive and is not this one. Returns how it lets go. */
export async function holdElsewhere({ services }: RunningServer): Promise<() => Promise<void>> {
  const { store } = await services.conversations.open()
  const [newest] = (await store.listSessions({ limit: 1 })).sessions
  const owner = identifyProcess(process.ppid)
  if (newest === undefined || owner === undefined) throw new Error('There is nothing to hold, or nobody who could.')
  const id = randomUUID()
  await store.beginConnection({ id, agent: newest.agent, beganAt: Date.now(), owner }, newest.cwd)
  await store.updateSession(newest.id, { lastConnectionId: id })
  return async () => await store.endConnection(id)
}

export function textOf(message: LiveMessage | undefined): string {
  return (message?.parts ?? []).map(part => ('text' in part ? part.text : '')).join('\n')
}
