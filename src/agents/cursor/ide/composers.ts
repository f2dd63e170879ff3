// state.vscdb: the editor stores everything in one key/value table, including its access tokens. Rows are
// read by named keys only.
import { dirname } from 'node:path'
import { exists } from '../../../disk/files/read.ts'
import { quote } from '../../../disk/files/system-errors.ts'
import type { Database, Row } from '../../../disk/sqlite/read-database.ts'
import { readDatabase } from '../../../disk/sqlite/read-database.ts'
import { RethreadError } from '../../../model/errors.ts'
import { layoutsOf } from '../../environment.ts'
import type { DiscoverOptions } from '../../store.ts'
import { asArray, asNumber, asText, present } from '../../stores/values.ts'
import { globalState, pathOfUri } from '../places.ts'

export const TABLE = 'cursorDiskKV'

export const composerKey = (composer: string) => `composerData:${composer}`
export const bubbleKey = (composer: string, bubble: string) => `bubbleId:${composer}:${bubble}`
/** `;` follows `:`, so these two bounds contain exactly the bubbles of a composer. */
export const bubbleRange = (composer: string): [string, string] => [`bubbleId:${composer}:`, `bubbleId:${composer};`]

/** The table does not exist if the agent was never used in the editor. */
export function keepsConversations(database: Database): boolean {
  const columns = database.columns(TABLE)
  return columns.has('key') && columns.has('value')
}

export function assertState(database: Database): void {
  if (keepsConversations(database)) return
  throw new RethreadError({
    code: 'not-a-session',
    text: `${database.path} has no table "${TABLE}": it never stored a conversation.`,
    hint: `See what it holds: sqlite3 -readonly ${quote(database.path)} .schema`,
    path: database.path,
  })
}

/**
 * Composers hold keys (such as `blobEncryptionKey`), so SQLite extracts only these fields from their JSON.
 */
const FIELDS = `json_extract(text, '$.name', '$.createdAt', '$.lastUpdatedAt', '$.modelConfig.modelName',
  '$.workspaceIdentifier.uri.fsPath', '$.subagentInfo.parentComposerId',
  '$.fullConversationHeadersOnly[0]', '$.conversation[0].type', '$.workspaceProjectDir', '$.workspaceUris[0]',
  '$.tabs[0].bubbles[0].type')`
const COLUMNS = `substr(key, 14) AS id, text IS NULL AS isGone, octet_length(text) AS bytes,
  CASE WHEN json_valid(text) THEN ${FIELDS} END AS fields,
  CASE WHEN json_valid(text) THEN json_type(text, '$.conversationMap') = 'object'
    AND json_extract(text, '$.conversationMap') <> '{}' END AS hasMap,
  (SELECT count(*) FROM ${TABLE} AS bubble WHERE bubble.key >= 'bubbleId:' || substr(composer.key, 14) || ':'
    AND bubble.key < 'bubbleId:' || substr(composer.key, 14) || ';') AS bubbles`
const ROWS = `SELECT key, CAST(value AS TEXT) AS text FROM ${TABLE}`
const ALL = `SELECT ${COLUMNS} FROM (${ROWS} WHERE key >= 'composerData:' AND key < 'composerData;') AS composer`
const ONE = `SELECT ${COLUMNS} FROM (${ROWS} WHERE key = ?) AS composer`

export interface Composer {
  id: string
  /** `unreadable`: the row exists but is not JSON. `gone`: it has no value any more. */
  state: 'readable' | 'unreadable' | 'gone'
  fields: ComposerFields
  /** Where the order of the messages is found. */
  order: 'headers' | 'inline' | 'none'
  bubbles: number
  bytes: number
}

export interface ComposerFields {
  title?: string
  /** As stored: milliseconds, or an ISO date. */
  createdAt?: string | number
  updatedAt?: string | number
  model?: string
  project?: string
  subagentOf?: string
}

export function allComposers(database: Database): Composer[] {
  return keepsConversations(database) ? database.all(ALL).map(composerOf) : []
}

/** The editor creates a composer for every window. Most never hold a message. */
export function hasConversation(composer: Composer): boolean {
  return composer.state === 'unreadable' || composer.order !== 'none' || composer.bubbles > 0
}

/** The composers of a database that can be shown. */
export function listComposers(database: Database): Composer[] {
  return allComposers(database).filter(
    composer => hasConversation(composer) && (composer.state === 'readable' || composer.bubbles > 0),
  )
}

export function oneComposer(database: Database, id: string): Composer | undefined {
  return database.all(ONE, composerKey(id)).map(composerOf)[0]
}

/** The ids of which the editor still has messages. Needs a few index lookups for each. */
export async function composersWithMessages(ids: string[], options: DiscoverOptions): Promise<string[]> {
  const states = layoutsOf(options.environment).map(globalState).filter(exists)
  return (await Promise.all(states.map(path => composersIn(path, ids, options)))).flat()
}

async function composersIn(path: string, ids: string[], options: DiscoverOptions): Promise<string[]> {
  const has = `SELECT 1 FROM ${TABLE} WHERE key = ? AND EXISTS (SELECT 1 FROM ${TABLE} WHERE key >= ? AND key < ?)`
  return readDatabase(
    path,
    dirname(path),
    database =>
      keepsConversations(database)
        ? ids.filter(id => database.all(has, composerKey(id), ...bubbleRange(id)).length > 0)
        : [],
    options,
  )
}

function composerOf(row: Row): Composer {
  const values = typeof row['fields'] === 'string' ? (asArray(JSON.parse(row['fields'])) ?? []) : undefined
  const [name, createdAt, updatedAt, model, folder, parent, header, inline, projectDir, uri, tab] = values ?? []
  const project = asText(folder) ?? pathOf(asText(projectDir)) ?? pathOf(asText(uri))
  return {
    id: String(row['id']),
    state: row['isGone'] === 1 ? 'gone' : values === undefined ? 'unreadable' : 'readable',
    order: isThere(header) ? 'headers' : isThere(inline) || isThere(tab) || row['hasMap'] === 1 ? 'inline' : 'none',
    bubbles: asNumber(row['bubbles']) ?? 0,
    bytes: asNumber(row['bytes']) ?? 0,
    fields: present<ComposerFields>({
      title: asText(name),
      createdAt: asMoment(createdAt),
      updatedAt: asMoment(updatedAt),
      model: asText(model),
      project,
      subagentOf: asText(parent),
    }),
  }
}

/** A path, or the URL of one. */
function pathOf(place: string | undefined): string | undefined {
  return place?.includes('://') === true ? pathOfUri(place) : place
}

function isThere(value: unknown): boolean {
  return value !== null && value !== undefined
}

function asMoment(value: unknown): string | number | undefined {
  return asText(value) ?? asNumber(value)
}
