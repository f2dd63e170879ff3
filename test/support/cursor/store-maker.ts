// Makes stores of Cursor for tests alone: nothing of the project imports it.
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { encodeProto } from '../../../src/bytes/protobuf.ts'
import { putDatabase } from '../database.ts'
import { put } from '../home.ts'

export const PROJECT = '/home/dev/shop'
export const SECRET_KEY = 'c2VjcmV0LWtleS1vZi10aGUtYmxvYnM='
export const TOKEN = 'eyJ-access-token-of-the-person'
export const STATE = '.config/Cursor/User/globalStorage/state.vscdb'
export const STARTED = Date.UTC(2026, 10, 1, 9)

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
export const md5 = (text: string) => createHash('md5').update(text).digest('hex')
export const json = (value: unknown) => Buffer.from(JSON.stringify(value))

export const CHAT = [
  { role: 'system', content: 'You are a helpful agent.' },
  { role: 'user', content: [{ type: 'text', text: `<user_info>\nWorkspace Path: ${PROJECT}\n</user_info>` }] },
  { role: 'user', content: [{ type: 'text', text: '<user_query>\nAdd a discount to the cart\n</user_query>' }] },
  {
    id: '1',
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'The cart is in src/cart.ts.' },
      { type: 'text', text: 'I look at the cart first.' },
      { type: 'tool-call', toolCallId: 'call-1', toolName: 'Read', args: { path: 'src/cart.ts' } },
    ],
  },
  {
    id: 'call-1',
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'call-1', toolName: 'Read', result: 'export const cart = []' }],
  },
  { id: '1', role: 'assistant', content: [{ type: 'text', text: 'The cart takes ten percent off now.' }] },
]

export interface ChatPlan {
  id: string
  /** JSON values, or the bytes of blobs as they are. */
  messages?: (object | Buffer)[]
  /** Fields of the row of facts that differ; null leaves the row out, text replaces its value. */
  facts?: object | string | null
  /** meta.json; null leaves it out. */
  sidecar?: object | string | null
  /** Further root blobs, by how many of the messages they name. */
  olderRoots?: number[]
  /** Fields of the roots beside the messages, in place of the folder. */
  root?: [number, string][]
  pageBytes?: number
}

export interface MadeChat {
  file: string
  ids: string[]
  root: string
}

export const chatPlace = (id: string) => `.cursor/chats/${md5(PROJECT)}/${id}/store.db`

export function putChat(home: string, plan: ChatPlan): MadeChat {
  const blobs = (plan.messages ?? CHAT).map(message => (Buffer.isBuffer(message) ? message : json(message)))
  const ids = blobs.map(sha256)
  const rootOf = (count: number) =>
    encodeProto([
      ...ids.slice(0, count).map((id): [number, Buffer] => [1, Buffer.from(id, 'hex')]),
      ...(plan.root ?? [[9, `file://${PROJECT}`]]),
    ])
  const root = rootOf(ids.length)
  const file = putDatabase(
    home,
    chatPlace(plan.id),
    database => {
      const insert = chatTables(database)
      for (const blob of [...blobs, ...(plan.olderRoots ?? []).map(rootOf), root]) insert(blob)
      putFacts(database, plan, sha256(root))
    },
    plan.pageBytes,
  )
  const sidecar = plan.sidecar ?? {
    schemaVersion: 1,
    title: 'Cart discount',
    cwd: PROJECT,
    createdAtMs: STARTED,
    updatedAtMs: STARTED + 60_000,
    hasConversation: true,
  }
  if (plan.sidecar !== null)
    put(dirname(file), 'meta.json', typeof sidecar === 'string' ? sidecar : JSON.stringify(sidecar))
  return { file, ids, root: sha256(root) }
}

export function chatTables(database: DatabaseSync): (blob: Buffer) => string {
  database.exec('CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)')
  database.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)')
  const insert = database.prepare('INSERT OR IGNORE INTO blobs VALUES (?, ?)')
  return blob => {
    insert.run(sha256(blob), blob)
    return sha256(blob)
  }
}

export function putFacts(database: DatabaseSync, plan: ChatPlan, root: string): void {
  if (plan.facts === null) return
  const facts = {
    agentId: plan.id,
    latestRootBlobId: root,
    name: 'New Agent',
    createdAt: STARTED,
    lastUsedModel: 'sonnet',
    blobEncryptionKey: SECRET_KEY,
    ...(typeof plan.facts === 'object' ? plan.facts : {}),
  }
  const value = typeof plan.facts === 'string' ? plan.facts : json(facts).toString('hex')
  database.prepare("INSERT INTO meta VALUES ('0', ?)").run(value)
}

/** Runs SQL on a store that was made, as damage does. */
export function alter(file: string, sql: string, ...values: (string | Buffer)[]): void {
  const database = new DatabaseSync(file)
  database.prepare(sql).run(...values)
  database.close()
}

export const BUBBLES: object[] = [
  { bubbleId: 'b1', type: 1, text: 'Add a discount to the cart', createdAt: '2026-11-01T09:00:00.000Z' },
  { bubbleId: 'b2', type: 2, thinking: { text: 'It is in src/cart.ts.' }, createdAt: '2026-11-01T09:00:01.000Z' },
  {
    bubbleId: 'b3',
    type: 2,
    text: 'I look at the cart first.',
    createdAt: '2026-11-01T09:00:02.000Z',
    toolFormerData: {
      toolCallId: 'call-1',
      name: 'read_file',
      rawArgs: '{"target_file":"src/cart.ts"}',
      result: '{"contents":"export const cart = []"}',
      status: 'completed',
    },
  },
  {
    bubbleId: 'b4',
    type: 2,
    text: 'The cart takes ten percent off now.',
    createdAt: '2026-11-01T09:00:03.000Z',
    tokenCount: { inputTokens: 1200, outputTokens: 80 },
  },
]

export interface ComposerPlan {
  id: string
  bubbles?: object[]
  /** Fields of the composer that differ; text replaces its value. */
  composer?: object | string | null
}

export function composerValue(plan: ComposerPlan): string | null {
  if (typeof plan.composer === 'string' || plan.composer === null) return plan.composer
  const bubbles = (plan.bubbles ?? BUBBLES) as { bubbleId: string; type: number }[]
  return JSON.stringify({
    composerId: plan.id,
    name: 'Cart discount',
    createdAt: STARTED,
    lastUpdatedAt: STARTED + 60_000,
    fullConversationHeadersOnly: bubbles.map(({ bubbleId, type }) => ({ bubbleId, type })),
    modelConfig: { modelName: 'sonnet' },
    workspaceIdentifier: { id: 'w', uri: { fsPath: PROJECT } },
    blobEncryptionKey: SECRET_KEY,
    ...plan.composer,
  })
}

/** The editor's database, with what else lies in it: other keys, and the tokens of the person. */
export function putState(home: string, plans: ComposerPlan[], pageBytes?: number): string {
  return putDatabase(
    home,
    STATE,
    database => {
      database.exec('CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
      database.exec('CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
      database.prepare('INSERT INTO ItemTable VALUES (?, ?)').run('cursorAuth/accessToken', TOKEN)
      const insert = database.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)')
      insert.run('cursorAuth/accessToken', TOKEN)
      for (const plan of plans) {
        insert.run(`composerData:${plan.id}`, composerValue(plan))
        for (const bubble of (plan.bubbles ?? BUBBLES) as { bubbleId: string }[])
          insert.run(`bubbleId:${plan.id}:${bubble.bubbleId}`, JSON.stringify(bubble))
      }
    },
    pageBytes,
  )
}

/** The database of one window, with rows of `ItemTable` and composers of its own. */
export function putWindow(
  home: string,
  rows: Record<string, unknown>,
  plans: ComposerPlan[] = [],
  name = 'w1',
): string {
  const folder = `.config/Cursor/User/workspaceStorage/${name}`
  put(home, `${folder}/workspace.json`, JSON.stringify({ folder: `file://${PROJECT}` }))
  return putDatabase(home, `${folder}/state.vscdb`, database => {
    database.exec('CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
    database.exec('CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)')
    const item = database.prepare('INSERT INTO ItemTable VALUES (?, ?)')
    item.run('secret://extension', TOKEN)
    for (const [key, value] of Object.entries(rows))
      item.run(key, typeof value === 'string' ? value : JSON.stringify(value))
    const insert = database.prepare('INSERT INTO cursorDiskKV VALUES (?, ?)')
    for (const plan of plans) {
      insert.run(`composerData:${plan.id}`, composerValue(plan))
      for (const bubble of (plan.bubbles ?? BUBBLES) as { bubbleId: string }[])
        insert.run(`bubbleId:${plan.id}:${bubble.bubbleId}`, JSON.stringify(bubble))
    }
  })
}

export const transcriptPlace = (name: string) => join('.cursor/projects/home-dev-shop/agent-transcripts', name)
