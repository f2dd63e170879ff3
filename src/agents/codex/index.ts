// Codex: one file of JSON records a thread, in the order in which they came, below ~/.codex/sessions.
import { basename } from 'node:path'
import { idValue, words } from '../../model/program.ts'
import { UUID } from '../../model/session-id.ts'
import type { Adopted, Agent, Store, Traits } from '../agent.ts'
import type { Environment } from '../environment.ts'
import { inHome, joinIn, variable } from '../environment.ts'
import { discover } from './discover.ts'
import { read } from './read/index.ts'
import { threadOf } from './rollout-name.ts'

const TRAITS: Traits = {
  framing: 'json-lines',
  linkedByParent: false,
  headerRecord: true,
  toolPairs: true,
  indexBeside: true,
  appendOnly: true,
  tokens: { inputHoldsCache: true },
}

export const codex: Agent = {
  id: 'codex',
  title: 'Codex',
  generations: {
    rollouts: {
      title: 'JSON lines',
      sessionId: UUID,
      traits: TRAITS,
      mend: () => import('./repair/index.ts').then(({ mend }) => mend),
    },
    // Bytes of a compressed file cannot be patched, so these are only read.
    compressed: {
      title: 'compressed JSON lines',
      sessionId: UUID,
      traits: { ...TRAITS, appendOnly: false, isCompressed: true },
    },
  },
  stores: environment =>
    ['sessions', 'archived_sessions'].map(name => store(joinIn(environment, codexHome(environment), name))),
  discover: at => discover(at),
  read,
  adopt,
  resumesAnywhere: () => true,
  processNames: ['codex'],
  start: () => ({ command: 'codex', words: words() }),
  acp: () => ({
    name: 'codex',
    command: 'codex-acp',
    args: [],
    install: '@agentclientprotocol/codex-acp',
    models: [{ id: 'gpt-5', name: 'GPT-5', family: 'GPT' }],
  }),
  resume: (session, facts) => ({
    type: 'command',
    command: 'codex',
    words: words('resume', idValue(session.sessionId)),
    folder: facts.project ?? session.project,
  }),
  samples: () => import('./sample.ts').then(({ samples }) => samples),
}

/** The links are those of the folder itself: some people keep `sessions` on another disk. */
function store(path: string): Store {
  return { generation: 'rollouts', path, root: path }
}

function codexHome(environment: Environment): string {
  return variable(environment, 'CODEX_HOME') ?? inHome(environment, '.codex')
}

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const ENVELOPE = /"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context)"\s*,\s*"payload"\s*:/
const BARE_META = /^\s*\{"id"\s*:\s*"([^"]+)"\s*,\s*"timestamp"\s*:\s*"[^"]+"\s*,\s*"(?:instructions|git)"/
const META_ID = /"type"\s*:\s*"session_meta"[^\n]*?"id"\s*:\s*"([\w-]+)"/

function adopt(path: string, head: Buffer): Adopted | undefined {
  const name = basename(path)
  const thread = threadOf(name)
  if (name.endsWith('.jsonl.zst')) {
    const isRollout = thread !== undefined && head.subarray(0, 4).equals(ZSTD_MAGIC)
    return isRollout ? { sessionId: thread, generation: 'compressed' } : undefined
  }
  const text = head.toString('latin1')
  const bare = BARE_META.exec(text)
  if (!name.endsWith('.jsonl') || (bare === null && !ENVELOPE.test(text))) return undefined
  const told = bare?.[1] ?? META_ID.exec(text)?.[1]
  return { sessionId: thread ?? told ?? basename(name, '.jsonl'), generation: 'rollouts' }
}
