// Adds rethread to the MCP servers in an agent's settings: one edit at one place, and everything else,
// comments too, stays byte for byte. Written through the vault, with a receipt and an undo.
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Node, ParseError } from 'jsonc-parser'
import jsonc from 'jsonc-parser'
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml'
import type { Agent } from '../agents/agent.ts'
import type { Environment } from '../agents/environment.ts'
import type { McpHost } from '../agents/mcp-host.ts'
import { MCP_SETTING } from '../agents/mcp-host.ts'
import { isObject } from '../bytes/json.ts'
import { exists, openFile } from '../disk/files/read.ts'
import { files } from '../disk/files/system-calls.ts'
import { applyChanges } from '../disk/vault/apply.ts'
import type { PlannedFile } from '../disk/vault/plan-fit.ts'
import type { Receipt } from '../disk/vault/receipt.ts'
import { RethreadError } from '../model/errors.ts'
import type { Change } from '../model/plan.ts'

/** The name of the server in the settings. */
const NAME = 'rethread'
/** In receipts, where a repair has the id of a session. */
const SETTINGS_ID = 'mcp-settings'
const MAX_SETTINGS_BYTES = 64 * 1024 * 1024

export interface McpSetting {
  agent: Agent
  file: string
  /** What a person would paste. */
  snippet: string
  /** Undefined where the same setting is there already. */
  change: Change | undefined
  planned: PlannedFile[]
}

/** Throws `unsupported` where the file cannot be read or has another server under this name. */
export function planSetting(
  agent: Agent,
  host: McpHost,
  environment: Environment,
  command: readonly string[],
): McpSetting {
  const [program = NAME, ...args] = command
  const entry = host.entry(program, args)
  const candidates = host.files(environment)
  const found = candidates.find(path => exists(path)) ?? candidates[0] ?? ''
  const snippet = snippetOf(host, entry)
  const reason = `Add rethread to the MCP servers of ${agent.title}`
  const why = { damage: MCP_SETTING, reason }
  if (!exists(found)) {
    const bytes = Buffer.from(
      host.format === 'json' ? `${JSON.stringify({ [host.servers]: { [NAME]: entry } }, null, 2)}\n` : snippet,
    )
    return { agent, file: found, snippet, planned: [], change: { type: 'write', file: found, bytes, ...why } }
  }
  // Settings are often links into a folder that is under version control.
  const path = files().realpath(found)
  const file = openFile(path, dirname(path))
  try {
    if (file.identity.size > MAX_SETTINGS_BYTES) throw refuse(path, 'it is too large', snippet)
    const bytes = file.range(0, file.identity.size)
    const text = bytes.toString('utf8')
    if (!Buffer.from(text).equals(bytes)) throw refuse(path, 'it is not UTF-8', snippet)
    const planned = [{ file: path, identity: file.identity }]
    const insert = (host.format === 'json' ? insertJson : insertToml)(text, host.servers, entry, path, snippet)
    if (insert === undefined) return { agent, file: path, snippet, planned, change: undefined }
    const start = Buffer.byteLength(text.slice(0, insert.at))
    const end = start + Buffer.byteLength(text.slice(insert.at, insert.at + insert.length))
    const edit = { start, end, bytes: Buffer.from(insert.text), old: bytes.subarray(start, end), ...why }
    return { agent, file: path, snippet, planned, change: { type: 'patch', file: path, edits: [edit] } }
  } finally {
    file.close()
  }
}

export async function writeSetting(
  state: string,
  { agent, file, change, planned }: McpSetting,
): Promise<Receipt | undefined> {
  if (change === undefined) return undefined
  return await applyChanges({
    state,
    agent: agent.id,
    sessionId: SETTINGS_ID,
    filePath: file,
    changes: [change],
    planned,
  })
}

interface Insertion {
  at: number
  length: number
  text: string
}

type Entry = Record<string, unknown>

/** Undefined where the entry is there already. */
function insertJson(text: string, servers: string, entry: Entry, path: string, snippet: string): Insertion | undefined {
  const body = text.startsWith('\ufeff') ? text.slice(1) : text
  const shift = text.length - body.length
  const errors: ParseError[] = []
  const settings: unknown = body.trim() === '' ? {} : jsonc.parse(body, errors, { allowTrailingComma: true })
  if (errors.length > 0 || !isObject(settings)) throw refuse(path, 'it is not a JSON object', snippet)
  const known = settings[servers]
  if (known !== undefined && !isObject(known)) throw refuse(path, `"${servers}" in it is not an object`, snippet)
  if (isThere(known?.[NAME], entry, path, snippet)) return undefined
  const tree = jsonc.parseTree(body, [], { allowTrailingComma: true })
  if (tree === undefined)
    return { at: text.length, length: 0, text: `${JSON.stringify({ [servers]: { [NAME]: entry } }, null, 2)}\n` }
  const object = known === undefined ? tree : jsonc.findNodeAtLocation(tree, [servers])
  if (object === undefined) throw refuse(path, 'no place for the setting was found', snippet)
  const insert =
    known === undefined
      ? insertProperty(body, object, servers, { [NAME]: entry })
      : insertProperty(body, object, NAME, entry)
  const after = body.slice(0, insert.at) + insert.text + body.slice(insert.at)
  const wanted = { ...settings, [servers]: { ...known, [NAME]: entry } }
  assertAfter(jsonc.parse(after, errors, { allowTrailingComma: true }), wanted, path, snippet)
  return { ...insert, at: insert.at + shift }
}

/** Behind the last property, in the form that the object has: on lines of their own, or all on one line. */
function insertProperty(body: string, { offset, children = [] }: Node, name: string, value: object): Insertion {
  const last = children.at(-1)
  const unit = /^([ \t]+)"/m.exec(body)?.[1] ?? '  '
  const eol = body.includes('\r\n') ? '\r\n' : '\n'
  const lineOf = (at: number): string => body.slice(body.lastIndexOf('\n', at - 1) + 1, at)
  const pretty = (indent: string): string =>
    `"${name}": ${JSON.stringify(value, null, unit).replaceAll('\n', eol + indent)}`
  if (last === undefined) {
    const outer = /^\s*/.exec(lineOf(offset))?.[0] ?? ''
    return { at: offset + 1, length: 0, text: `${eol}${outer}${unit}${pretty(outer + unit)}${eol}${outer}` }
  }
  const at = last.offset + last.length
  const indent = lineOf(last.offset)
  if (indent.trim() !== '' || !body.slice(0, last.offset).includes('\n'))
    return { at, length: 0, text: `, "${name}": ${JSON.stringify(value)}` }
  return { at, length: 0, text: `,${eol}${indent}${pretty(indent)}` }
}

/** A table of its own at the end: nothing before it changes its meaning. */
function insertToml(text: string, servers: string, entry: Entry, path: string, snippet: string): Insertion | undefined {
  const settings = tomlOf(text, path, snippet)
  const known = settings[servers]
  if (known !== undefined && !isObject(known)) throw refuse(path, `"${servers}" in it is not a table`, snippet)
  if (isThere(known?.[NAME], entry, path, snippet)) return undefined
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n'
  const added = gap + snippet
  const wanted = { ...settings, [servers]: { ...known, [NAME]: entry } }
  assertAfter(tomlOf(text + added, path, snippet), wanted, path, snippet)
  return { at: text.length, length: 0, text: added }
}

function tomlOf(text: string, path: string, snippet: string): Record<string, unknown> {
  try {
    return parseToml(text)
  } catch (error) {
    throw refuse(path, error instanceof Error ? `TOML: ${error.message.split('\n')[0]}` : 'it is not TOML', snippet)
  }
}

function isThere(known: unknown, entry: Entry, path: string, snippet: string): boolean {
  if (known === undefined) return false
  if (isDeepStrictEqual(plain(known), plain(entry))) return true
  throw refuse(path, `it has another server named "${NAME}" already`, snippet)
}

/** The edit must change what it should, and nothing else. */
function assertAfter(after: unknown, wanted: unknown, path: string, snippet: string): void {
  if (!isDeepStrictEqual(plain(after), plain(wanted)))
    throw refuse(path, 'the setting cannot be added at one place', snippet)
}

/** Dates of TOML and objects without a prototype compare as plain data. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function snippetOf(host: McpHost, entry: Entry): string {
  if (host.format === 'toml') return `${stringifyToml({ [host.servers]: { [NAME]: entry } }).trimEnd()}\n`
  return `${JSON.stringify({ [host.servers]: { [NAME]: entry } }, null, 2)}\n`
}

function refuse(path: string, why: string, snippet: string): RethreadError {
  return new RethreadError({
    code: 'unsupported',
    text: `${path} was not changed: ${why}.`,
    hint: `Add this to it by hand:\n${snippet}`,
    path,
  })
}
