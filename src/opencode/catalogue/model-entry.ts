// A model as clients list it: in the flat form of one kind of client and the nested one of the other. What an agent costs and holds is not known.
import type { AgentModel } from '../../journal/connection/acp-agents.ts'

const NO_COST = { input: 0, output: 0, cache: { read: 0, write: 0 }, cache_read: 0, cache_write: 0 }
/** Clients leave out what they would say of a limit that is not known. */
const NO_LIMIT = { context: 0, output: 0 }
const INPUT = { text: true, audio: false, image: true, video: false, pdf: false }
const OUTPUT = { text: true, audio: false, image: false, video: false, pdf: false }

export type ModelEntry = ReturnType<typeof makeModelEntry>

export function makeModelEntry(providerID: string, { id, name, family }: AgentModel) {
  return {
    id,
    providerID,
    name,
    family,
    api: { id, url: '', npm: '' },
    release_date: '',
    status: 'active' as const,
    attachment: true,
    reasoning: true,
    temperature: false,
    tool_call: true,
    modalities: { input: ['text', 'image'], output: ['text'] },
    capabilities: {
      temperature: false,
      reasoning: true,
      attachment: true,
      toolcall: true,
      input: INPUT,
      output: OUTPUT,
      interleaved: false,
    },
    cost: NO_COST,
    limit: NO_LIMIT,
    options: {},
    headers: {},
  }
}
