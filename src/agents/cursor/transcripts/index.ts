// Transcripts, for chats without any other store: as JSON lines, and older ones as text.
import { basename } from 'node:path'
import { PLAIN_NAME } from '../../../model/session-id.ts'
import { lazyRead } from '../../lazy-read.ts'
import type { Store } from '../../store.ts'
import { projectsFolder } from '../places.ts'
import { discover } from './discover.ts'
import { JSON_LINES, TEXT } from './list.ts'

const read = lazyRead(() => import('./read.ts').then(module => module.read))
const readText = lazyRead(() => import('./text.ts').then(module => module.readTextTranscript))

const resume: Store['resume'] = () => ({
  type: 'unsupported',
  reason: 'Only the transcript is left of this chat; cursor-agent resumes from its store (store.db).',
})

export const transcripts: Store = {
  name: JSON_LINES,
  title: 'transcripts as JSON lines',
  sessionId: PLAIN_NAME,
  traits: {
    framing: 'json-lines',
    linkedByParent: false,
    headerRecord: false,
    toolPairs: false,
    indexBeside: false,
    appendOnly: true,
  },
  locations(environment) {
    const path = projectsFolder(environment)
    return [{ path, root: path }]
  },
  discover,
  read,
  parts: () => import('./parts.ts').then(module => module.parts),
  recognise(path, head) {
    const isTranscript = /^\s*\{"role":"(?:user|assistant)","message":\{"content":/.test(head.toString('latin1'))
    return path.endsWith('.jsonl') && isTranscript ? basename(path, '.jsonl') : undefined
  },
  resume,
  repair: () => import('./repair.ts').then(module => module.repair),
}

/** Found among the others, in the same folders. */
export const textTranscripts: Store = {
  name: TEXT,
  title: 'transcripts as text',
  sessionId: PLAIN_NAME,
  traits: { ...transcripts.traits, framing: 'text', appendOnly: false },
  locations: () => [],
  discover,
  read: readText,
  recognise(path, head) {
    const isTranscript = /^(?:user|assistant):\r?\n/.test(head.toString('latin1'))
    return path.endsWith('.txt') && isTranscript ? basename(path, '.txt') : undefined
  },
  resume,
}
