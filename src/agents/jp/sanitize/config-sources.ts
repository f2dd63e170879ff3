// Where a base config can come from when that of a conversation is lost, best first: its other copy, the last commit, the configuration of the workspace, the nearest sibling, the smallest that loads.
import { join, relative } from 'node:path'
import { parseJson } from '../../../bytes/json.ts'
import { readCommitted } from '../../../disk/processes/git.ts'
import type { Environment } from '../../environment.ts'
import { asObject, asText } from '../../stores/values.ts'
import { MAX_CONFIG_BYTES } from '../classify/classify-file.ts'
import type { CopyState } from '../classify/index.ts'
import { scanJson } from '../classify/scan-json.ts'
import { checkBaseConfig } from '../classify/shape-config.ts'
import { isHealthy } from '../classify/state.ts'
import { workspaceBaseConfig } from '../config/as-source.ts'
import { parseModelId } from '../config/model-id.ts'
import { displayId } from '../ids.ts'
import { BASE_CONFIG } from '../names.ts'
import type { Workspace } from '../roots.ts'
import { modelOf } from '../store/events.ts'
import { readState } from './read-state.ts'

export interface ConfigSource {
  bytes: Buffer
  /** As the report names it. */
  name: string
  /** When the source itself was written; undefined where it is not the conversation's own. */
  modifiedNs: bigint | undefined
  /** Of this very conversation, with the flags of its first call in it. */
  isOwn?: true
  /** Nobody has made it whole yet: what JP needs may be missing. */
  isPartial?: true
}

/** A conversation with a sound config. */
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
  /** What the events say last about the model. */
  model: string | undefined
}

/** Each is read only when it is asked for. The last one always is there. */
export function* configSources(
  copy: CopyState,
  others: readonly CopyState[],
  options: SourceOptions,
): Generator<ConfigSource, void, void> {
  for (const { files, folder } of others) {
    const state = files[BASE_CONFIG]
    const bytes = isHealthy(state) ? readState(state, folder.root.path) : undefined
    const own = { name: `the ${folder.root.kind} copy`, modifiedNs: state.identity?.mtimeNs, isOwn: true } as const
    if (bytes !== undefined) yield { bytes, ...own }
  }
  const committed = readFromGit(copy, others, options.workspace)
  if (committed !== undefined) yield { bytes: committed, name: 'git HEAD', modifiedNs: undefined, isOwn: true }
  const { source, unusable } = workspaceSource(options)
  if (source !== undefined) yield source
  for (const other of [nearestDonor(options), minimalConfig(options.model)])
    if (other !== undefined) yield { ...other, name: other.name + unusable }
}

/** Where there is none that could be used, `unusable` says why; else it is empty. */
function workspaceSource(options: SourceOptions): { source: ConfigSource | undefined; unusable: string } {
  const { config, notes } = workspaceBaseConfig(options)
  const why = notes.join('; ')
  if (config === undefined) return { source: undefined, unusable: why === '' ? '' : ` (no workspace config: ${why})` }
  const name = `workspace config${why === '' ? '' : ` (${why})`}`
  return { source: { bytes: asJson(config), name, modifiedNs: undefined, isPartial: true }, unusable: '' }
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
    const bytes = readState({ path: donor.path }, donor.root)
    if (bytes !== undefined && isSoundConfig(bytes))
      return { bytes, name: `conversation ${displayId(donor.id)}, the nearest in time`, modifiedNs: undefined }
  }
  return undefined
}

/** The nearest may have been changed since it was examined. */
const MAX_DONORS = 3

function minimalConfig(model: string | undefined): ConfigSource {
  // A short name that nothing explains would end JP.
  const named = model === undefined ? undefined : parseModelId(model)
  const id = named ?? FALLBACK_MODEL
  const config = { assistant: { model: { id } }, conversation: { tools: { '*': { run: 'ask' } } } }
  const from = named === undefined ? '' : ' and the model that its events name last'
  return { bytes: asJson(config), name: `minimal defaults${from}`, modifiedNs: undefined }
}

export function isSoundConfig(bytes: Buffer): boolean {
  const { fault, soft } = scanJson(bytes)
  return fault === undefined && soft.length === 0 && checkBaseConfig(parseJson(bytes)).length === 0
}

/** As JP writes: two spaces, and a newline at the end. */
export function asJson(value: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/** The model that the changes of the config come to: some change its name alone. */
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
