// Codex: one file of JSON records for each thread, in chronological order, below ~/.codex/sessions.
import { basename } from 'node:path'
import { parseObject } from '../../bytes/json.ts'
import { idValue, words } from '../../model/program.ts'
import { UUID } from '../../model/session-id.ts'
import type { Agent } from '../agent.ts'
import { joinIn } from '../environment.ts'
import { lazyRead } from '../lazy-read.ts'
import type { Store } from '../store.ts'
import { asObject, asText } from '../stores/values.ts'
import { archive, codexHome } from './archive.ts'
import { COMPRESSED, discover, ROLLOUTS } from './discover.ts'
import { mcp } from './mcp.ts'
import { threadOf } from './rollout-name.ts'

const read = lazyRead(() => import('./read/index.ts').then(module => module.read))

const rollouts: Store = {
  name: ROLLOUTS,
  title: 'JSON lines',
  sessionId: UUID,
  traits: {
    framing: 'json-lines',
    linkedByParent: false,
    headerRecord: true,
    toolPairs: true,
    indexBeside: true,
    appendOnly: true,
    tokens: { inputHoldsCache: true },
  },
  // Links are resolved inside the folder itself: `sessions` can be on another disk.
  locations: environment =>
    ['sessions', 'archived_sessions'].map(name => {
      const path = joinIn(environment, codexHome(environment), name)
      return { path, root: path }
    }),
  discover,
  read,
  parts: () => import('./read/parts.ts').then(module => module.parts),
  skim: () => import('./read/skim.ts').then(module => module.skim),
  projectInHead,
  recognise: recogniseRollout,
  resumesAnywhere: () => true,
  resume: (session, facts) => ({
    type: 'command',
    command: 'codex',
    words: words('resume', idValue(session.sessionId)),
    folder: facts.project ?? session.project,
  }),
  repair: () => import('./repair/index.ts').then(module => module.repair),
  archive,
  adoption: () => import('./adoption.ts').then(module => module.adoption),
  listing: () => import('./listing.ts').then(module => module.listing),
}

/**
 * Rollouts that Codex compressed in place, found among the others. Their bytes cannot be patched, so they are
 * only read.
 */
const compressed: Store = {
  ...rollouts,
  name: COMPRESSED,
  title: 'compressed JSON lines',
  traits: { ...rollouts.traits, appendOnly: false, isCompressed: true },
  locations: () => [],
  recognise: recogniseCompressed,
  parts: undefined,
  skim: undefined,
  projectInHead: undefined,
  repair: undefined,
}

export const codex: Agent = {
  id: 'codex',
  title: 'Codex',
  stores: [rollouts, compressed],
  processNames: ['codex'],
  start: () => ({ command: 'codex', words: words() }),
  mcp,
  acp: () => ({
    name: 'codex',
    command: 'codex-acp',
    args: [],
    install: '@agentclientprotocol/codex-acp',
    login: 'codex login',
    models: [{ id: 'gpt-5', name: 'GPT-5', family: 'GPT' }],
  }),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

const NEWLINE = 0x0a
const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const ENVELOPE = /"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context)"\s*,\s*"payload"\s*:/
const BARE_META = /^\s*\{"id"\s*:\s*"([^"]+)"\s*,\s*"timestamp"\s*:\s*"[^"]+"\s*,\s*"(?:instructions|git)"/
const META_ID = /"type"\s*:\s*"session_meta"[^\n]*?"id"\s*:\s*"([\w-]+)"/

/** That of the header. Where it names none, later records may. */
function projectInHead(head: Buffer): string | undefined {
  const header = parseObject(head.subarray(0, head.indexOf(NEWLINE)))
  const isHeader = header?.['type'] === 'session_meta'
  return isHeader ? asText(asObject(header['payload'])?.['cwd']) : undefined
}

function recogniseRollout(path: string, head: Buffer): string | undefined {
  const name = basename(path)
  const text = head.toString('latin1')
  const bare = BARE_META.exec(text)
  if (!name.endsWith('.jsonl') || (bare === null && !ENVELOPE.test(text))) return undefined
  const stored = bare?.[1] ?? META_ID.exec(text)?.[1]
  return threadOf(name) ?? stored ?? basename(name, '.jsonl')
}

function recogniseCompressed(path: string, head: Buffer): string | undefined {
  const name = basename(path)
  const isRollout = name.endsWith('.jsonl.zst') && head.subarray(0, 4).equals(ZSTD_MAGIC)
  return isRollout ? threadOf(name) : undefined
}
