// The sources of a base config when that of a conversation is lost, in order of preference: the other copy,
// the last commit, the configuration of the workspace, the conversation nearest in time, and minimal
// defaults.
import { join, relative } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { readCommitted } from '../../../disk/processes/git.ts'
import type { Environment } from '../../environment.ts'
import { asArray, asObject, asText } from '../../stores/values.ts'
import { MAX_CONFIG_BYTES, readUnchanged } from '../classify/classify-file.ts'
import type { CopyState } from '../classify/index.ts'
import { scanJson } from '../classify/scan-json.ts'
import { isHealthy } from '../classify/state.ts'
import { mergeConfig } from '../config/merge.ts'
import { normalConfig, parseModelId } from '../config/normal.ts'
import { workspaceBaseConfig } from '../config/workspace-config.ts'
import { displayId } from '../ids.ts'
import { spanAt } from '../json-spans.ts'
import { BASE_CONFIG } from '../names.ts'
import type { Workspace } from '../roots.ts'
import { parseExact } from '../schema/exact.ts'
import { checkBase, checkInit } from '../schema/resolve.ts'
import { modelOf } from '../store/messages.ts'

export interface ConfigSource {
  bytes: Buffer
  /** The name of the source in the report. */
  name: string
  /** The modification time of the source; undefined if it is not the conversation's own config. */
  modifiedNs: bigint | undefined
  /** The config of this conversation, including the flags that it was started with. */
  isOwn?: true
}

/** A conversation with a healthy base config. */
export interface Donor {
  id: string
  path: string
  root: string
}

const FALLBACK_MODEL = { provider: 'anthropic', name: 'claude-sonnet-4-5' }

export interface SourceOptions {
  environment: Environment
  workspace: Workspace
  donors: readonly Donor[]
  id: string
  /** The model that the events name last. */
  model: string | undefined
  /** The changes of the config in the events. */
  deltas: readonly unknown[]
}

/** Reads each source only when it is asked for. The last one always exists. */
export function* configSources(
  copy: CopyState,
  others: readonly CopyState[],
  options: SourceOptions,
): Generator<ConfigSource, void, void> {
  for (const { files, folder } of others) {
    const state = files[BASE_CONFIG]
    const bytes = isHealthy(state) ? readUnchanged(state, folder.root.within) : undefined
    const own = { name: `the ${folder.root.kind} copy`, modifiedNs: state.mark?.mtimeNs, isOwn: true } as const
    if (bytes !== undefined) yield { bytes, ...own }
  }
  const committed = readFromGit(copy, others, options.workspace)
  if (committed !== undefined) yield { bytes: committed, name: 'git HEAD', modifiedNs: undefined, isOwn: true }
  const { source, unusable } = workspaceSource(options)
  if (source !== undefined) yield source
  for (const other of [nearestDonor(options), minimalConfig(options.model)])
    if (other !== undefined) yield { ...other, name: other.name + unusable }
}

/** If there is no usable source, `unusable` says why; otherwise it is empty. */
function workspaceSource(options: SourceOptions): { source: ConfigSource | undefined; unusable: string } {
  const { config, notes } = workspaceBaseConfig(options)
  const why = notes.join('; ')
  if (config === undefined) return { source: undefined, unusable: why === '' ? '' : ` (no workspace config: ${why})` }
  const name = `workspace config${why === '' ? '' : ` (${why})`}`
  return { source: { bytes: formatJson(config), name, modifiedNs: undefined }, unusable: '' }
}

function readFromGit(copy: CopyState, others: readonly CopyState[], { folder }: Workspace): Buffer | undefined {
  const own = [copy, ...others].find(({ folder: { root } }) => root.kind === 'workspace')
  if (folder === undefined || own === undefined) return undefined
  const path = relative(folder, join(own.folder.path, BASE_CONFIG)).replaceAll('\\', '/')
  const bytes = readCommitted(folder, path, MAX_CONFIG_BYTES)
  return bytes !== undefined && isSoundConfig(bytes) ? bytes : undefined
}

function nearestDonor({ donors, id }: SourceOptions): ConfigSource | undefined {
  const distance = (donor: Donor): number => Math.abs(Number(donor.id) - Number(id))
  const near = donors.filter(donor => donor.id !== id).toSorted((a, b) => distance(a) - distance(b))
  for (const donor of near.slice(0, MAX_DONORS)) {
    const bytes = readUnchanged({ path: donor.path }, donor.root)
    if (bytes !== undefined && isSoundConfig(bytes))
      return { bytes, name: `conversation ${displayId(donor.id)}, the nearest in time`, modifiedNs: undefined }
  }
  return undefined
}

/** The nearest ones may have changed since they were examined. */
const MAX_DONORS = 3

function minimalConfig(model: string | undefined): ConfigSource {
  // JP stops at an alias that it cannot resolve.
  const named = model === undefined ? undefined : parseModelId(model)
  const id = named ?? FALLBACK_MODEL
  const config = { assistant: { model: { id } }, conversation: { tools: { '*': { run: 'ask' } } } }
  const from = named === undefined ? '' : ' and the model that its events name last'
  return { bytes: formatJson(config), name: `minimal defaults${from}`, modifiedNs: undefined }
}

export function isSoundConfig(bytes: Buffer): boolean {
  const { fault, soft } = scanJson(bytes)
  return fault === undefined && soft.length === 0 && checkBase(parseExact(bytes)).length === 0
}

/**
 * The config in a file with `base` and `init`, a layout that was planned and
 * that no JP reads. Undefined for any other file.
 */
export function flatConfig(bytes: Buffer): { bytes: Buffer; isShort: boolean } | undefined {
  const stored = asObject(parseJson(bytes))
  const base = asObject(stored?.['base'])
  if (stored === undefined || base === undefined || 'assistant' in stored || 'conversation' in stored) return undefined
  const given = asArray(stored['init'] ?? [])
  const init = (given ?? []).filter(item => checkInit(item).length === 0)
  const isShort = init.length !== given?.length
  const span = spanAt(bytes, ['base'])
  if (init.length === 0 && span !== undefined) return { bytes: bytes.subarray(span.start, span.end), isShort }
  const config = normalConfig(base)
  for (const item of init) mergeConfig(config, normalConfig(asObject(asObject(item)?.['delta']) ?? {}))
  return { bytes: formatJson(config), isShort }
}

/** Formats like JP: two spaces, and a newline at the end. */
export function formatJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/** The model after all config_delta events. Some events change only its name. */
export function lastModel(events: Iterable<unknown>): string | undefined {
  let model: string | undefined
  let provider: string | undefined
  for (const event of events) {
    const change = asObject(event)
    if (change?.['type'] !== 'config_delta') continue
    const delta = asObject('delta' in change ? change['delta'] : change)
    const id = asObject(asObject(delta?.['assistant'])?.['model'])?.['id']
    provider = asText(asObject(id)?.['provider']) ?? (typeof id === 'string' ? undefined : provider)
    const named = modelOf(delta)
    if (named === undefined) continue
    model = typeof id === 'string' || named.includes('/') || provider === undefined ? named : `${provider}/${named}`
  }
  return model
}
