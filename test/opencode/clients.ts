// OpenCode's own clients, each behind the same few words, so that one suite holds for all of them.
import { createOpencodeClient as makeNewest } from 'opencode-sdk'
import { createOpencodeClient as makeSecond } from 'opencode-sdk/v2'
import { createOpencodeClient as makeFirst } from 'opencode-sdk-first'
import { TOKEN } from '../support/opencode-server.ts'

const headers = { Authorization: `Bearer ${TOKEN}` }

export const first = (baseUrl: string) => makeFirst({ baseUrl, headers })
export const newest = (baseUrl: string) => makeNewest({ baseUrl, headers })
export const second = (baseUrl: string) => makeSecond({ baseUrl, headers })

export interface Answer {
  data?: unknown
  error?: unknown
}

export interface Message {
  info: { id: string; role: string; sessionID: string; providerID?: string; modelID?: string }
  parts: { id: string; type: string; text?: string; state?: { status: string } }[]
}

export interface SentEvent {
  type: string
  properties: Record<string, unknown>
}

export interface Model {
  providerID: string
  modelID: string
}

/** Every answer as the client gives it: with `data`, or with `error`. */
export interface Driver {
  create(title?: string): Promise<Answer>
  get(id: string): Promise<Answer>
  list(): Promise<Answer>
  rename(id: string, title: string): Promise<Answer>
  remove(id: string): Promise<Answer>
  prompt(id: string, text: string, model?: Model): Promise<Answer>
  promptAsync(id: string, text: string): Promise<Answer>
  messages(id: string): Promise<Answer>
  message(id: string, messageID: string): Promise<Answer>
  abort(id: string): Promise<Answer>
  fork(id: string): Promise<Answer>
  children(id: string): Promise<Answer>
  status(): Promise<Answer>
  providers(): Promise<Answer>
  subscribe(signal: AbortSignal): Promise<AsyncIterable<unknown>>
}

const textOf = (text: string) => [{ type: 'text' as const, text }]

/** Of both versions: parameters by the place they go to. */
function driveByPlaces(client: ReturnType<typeof first> | ReturnType<typeof newest>): Driver {
  // The two differ in what they know beside this.
  const { session, provider, event } = client as ReturnType<typeof first>
  const at = (id: string) => ({ path: { id } })
  return {
    create: async title => await session.create(title === undefined ? {} : { body: { title } }),
    get: async id => await session.get(at(id)),
    list: async () => await session.list(),
    rename: async (id, title) => await session.update({ ...at(id), body: { title } }),
    remove: async id => await session.delete(at(id)),
    prompt: async (id, text, model) =>
      await session.prompt({ ...at(id), body: { parts: textOf(text), ...(model === undefined ? {} : { model }) } }),
    promptAsync: async (id, text) => await session.promptAsync({ ...at(id), body: { parts: textOf(text) } }),
    messages: async id => await session.messages(at(id)),
    message: async (id, messageID) => await session.message({ path: { id, messageID } }),
    abort: async id => await session.abort(at(id)),
    fork: async id => await session.fork({ ...at(id), body: {} }),
    children: async id => await session.children(at(id)),
    status: async () => await session.status(),
    providers: async () => await provider.list(),
    subscribe: async signal => (await event.subscribe({ signal })).stream,
  }
}

/** Parameters all in one. */
function driveFlat({ session, provider, event }: ReturnType<typeof second>): Driver {
  return {
    create: async title => await session.create(title === undefined ? {} : { title }),
    get: async sessionID => await session.get({ sessionID }),
    list: async () => await session.list(),
    rename: async (sessionID, title) => await session.update({ sessionID, title }),
    remove: async sessionID => await session.delete({ sessionID }),
    prompt: async (sessionID, text, model) =>
      await session.prompt({ sessionID, parts: textOf(text), ...(model === undefined ? {} : { model }) }),
    promptAsync: async (sessionID, text) => await session.promptAsync({ sessionID, parts: textOf(text) }),
    messages: async sessionID => await session.messages({ sessionID }),
    message: async (sessionID, messageID) => await session.message({ sessionID, messageID }),
    abort: async sessionID => await session.abort({ sessionID }),
    fork: async sessionID => await session.fork({ sessionID }),
    children: async sessionID => await session.children({ sessionID }),
    status: async () => await session.status(),
    providers: async () => await provider.list(),
    subscribe: async signal => (await event.subscribe({}, { signal })).stream,
  }
}

export const drivers: readonly (readonly [string, (baseUrl: string) => Driver])[] = [
  ['@opencode-ai/sdk 1.1', baseUrl => driveByPlaces(first(baseUrl))],
  ['@opencode-ai/sdk, the newest', baseUrl => driveByPlaces(newest(baseUrl))],
  ['@opencode-ai/sdk/v2', baseUrl => driveFlat(second(baseUrl))],
]
