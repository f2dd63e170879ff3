// Imports point one way.
import type { Import, Parsed } from './source.ts'

const BASE = ['bytes', 'model', 'disk']
const SESSIONS = [
  ...BASE,
  'threads',
  'agents',
  'journal',
  'repair/records',
  'repair/damage',
  'archive',
  'repair',
  'catalog',
  'mock-agent',
]

/** What each layer may import beside itself. A folder inside another can be a layer of its own: the longest name counts. */
export const LAYERS: Record<string, readonly string[]> = {
  bytes: [],
  model: [],
  disk: ['bytes', 'model'],
  threads: BASE,
  'repair/records': ['bytes', 'model'],
  'repair/damage/lines': ['bytes', 'model', 'repair/records'],
  agents: [...BASE, 'repair/records', 'repair/damage/lines'],
  'repair/damage': ['bytes', 'model', 'repair/records', 'repair/damage/lines'],
  journal: BASE,
  archive: [...BASE, 'agents'],
  repair: [
    ...BASE,
    'threads',
    'agents',
    'archive',
    'journal',
    'repair/records',
    'repair/damage',
    'repair/damage/lines',
  ],
  catalog: [...BASE, 'threads', 'agents', 'archive', 'journal'],
  search: [...BASE, 'threads', 'agents', 'archive', 'journal', 'catalog'],
  export: [...BASE, 'agents', 'archive', 'journal', 'catalog'],
  mcp: [...BASE, 'agents', 'archive', 'catalog', 'search', 'export'],
  demo: [...BASE, 'agents', 'archive', 'repair/damage', 'catalog'],
  'mock-agent': BASE,
  doctor: [...SESSIONS],
  'journal/agent-files': SESSIONS,
  api: ['model', 'disk', 'archive', 'catalog', 'repair'],
  opencode: [...BASE, 'threads', 'journal'],
  server: [...SESSIONS, 'doctor', 'search', 'export', 'journal/agent-files', 'demo', 'opencode'],
  cli: [...SESSIONS, 'doctor', 'search', 'export', 'mcp', 'journal/agent-files', 'demo', 'opencode', 'server'],
}
/** Where a layer may know the types of another, and nothing that runs. */
const TYPES_OF: Record<string, readonly string[]> = { 'repair/damage': ['agents'], journal: ['agents'] }
/** No system calls and no packages: these can be read, and tested, as mathematics. */
const PURE = new Set(['bytes', 'model', 'repair/records', 'repair/damage/lines'])
const PURE_MODULES = new Set(['node:buffer'])

export function layerOf(path: string): string | undefined {
  const [src, top, ...inside] = path.split('/').slice(0, -1)
  if (src !== 'src' || top === undefined) return undefined
  const names = inside.map((_, depth) => [top, ...inside.slice(0, depth + 1)].join('/'))
  return names.findLast(name => name in LAYERS) ?? top
}

/** The agent whose folder a file is in; undefined for what agents share. */
export function agentFolderOf(path: string): string | undefined {
  const folder = /^src\/agents\/([^/]+)\//.exec(path)?.[1]
  return folder === 'stores' || folder === 'samples' ? undefined : folder
}

export function checkDirections(file: Parsed): string[] {
  const layer = layerOf(file.path)
  const below = layer === undefined ? undefined : LAYERS[layer]
  if (layer === undefined || below === undefined)
    return [`${file.path}: is in no layer of the list in test/rules/layers.ts`]
  return file.imports.flatMap(found => {
    const reason = found.isOwn ? refuseOwn(file.path, layer, below, found) : refuseForeign(layer, found)
    return reason === undefined ? [] : [`${file.path}:${found.line}: ${reason} (${found.from})`]
  })
}

/** Of the server the page sees the protocol alone, and nothing that runs on a machine. */
export function checkPage(file: Parsed): string[] {
  return file.imports.flatMap(({ from, isOwn, line }) => {
    const isAllowed = isOwn
      ? from.startsWith('web/src/') || from === 'src/server/protocol.ts'
      : !from.startsWith('node:')
    return isAllowed ? [] : [`${file.path}:${line}: the page must not import ${from}`]
  })
}

function refuseOwn(path: string, layer: string, below: readonly string[], found: Import): string | undefined {
  const target = layerOf(found.from)
  if (target === undefined) return 'src imports only from src'
  if (target === 'agents' && layer === 'agents') return refuseAgent(path, found)
  if (target === layer || below.includes(target)) return undefined
  if (TYPES_OF[layer]?.includes(target))
    return found.isType ? undefined : `${layer} may know only the types of ${target}`
  return `${layer} must not import ${target}`
}

function refuseAgent(path: string, found: Import): string | undefined {
  const own = agentFolderOf(path)
  const other = agentFolderOf(found.from)
  if (other === undefined || other === own || path === 'src/agents/index.ts') return undefined
  return own === undefined ? 'what agents share must not import one of them' : 'an agent must not import another agent'
}

function refuseForeign(layer: string, found: Import): string | undefined {
  if (!PURE.has(layer) || PURE_MODULES.has(found.from)) return undefined
  return `${layer} is pure: it imports no package and no system module`
}

/** A file beside an agent that makes stores for its tests: it is known by what it imports, and the rules for sources are not for it. */
export function isTestSupport(file: Parsed): boolean {
  return (
    agentFolderOf(file.path) !== undefined && file.imports.some(found => found.isOwn && found.from.startsWith('test/'))
  )
}

export function findTestSupportInUse(files: readonly Parsed[]): string[] {
  const support = new Set(files.filter(isTestSupport).map(file => file.path))
  return files
    .filter(file => !support.has(file.path))
    .flatMap(file =>
      file.imports.filter(found => support.has(found.from)).map(found => `${file.path}: imports ${found.from}`),
    )
}

/** A circle of layers, whatever the list allows. */
export function findCycle(files: readonly Parsed[]): string[] | undefined {
  const edges = new Map<string, Set<string>>()
  for (const file of files)
    for (const found of file.imports) {
      const [from, to] = [layerOf(file.path), layerOf(found.from)]
      if (!found.isOwn || from === undefined || to === undefined || from === to) continue
      edges.set(from, (edges.get(from) ?? new Set()).add(to))
    }
  const done = new Set<string>()
  const walk = (layer: string, way: string[]): string[] | undefined => {
    if (way.includes(layer)) return [...way.slice(way.indexOf(layer)), layer]
    if (done.has(layer)) return undefined
    for (const next of edges.get(layer) ?? []) {
      const cycle = walk(next, [...way, layer])
      if (cycle !== undefined) return cycle
    }
    done.add(layer)
    return undefined
  }
  for (const layer of edges.keys()) {
    const cycle = walk(layer, [])
    if (cycle !== undefined) return cycle
  }
  return undefined
}
