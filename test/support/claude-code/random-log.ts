// Logs that no agent would write, and that a reader must still agree on with every faster way to the same facts.
import { below, type Random } from '../random.ts'

/** Rewinds, sub-agents, lines of one message far apart, missing parents, loops, compactions, queued prompts. */
export function randomLog(random: Random, isLinear = false): string {
  const [isLoose, isMixed] = isLinear ? [false, false] : [random() < 0.5, random() < 0.5]
  const count = 1 + below(random, 40)
  const records = Array.from({ length: count }, (_, number): Record<string, unknown> => {
    const far = isLoose ? below(random, count + 3) : number - 1 - below(random, 3)
    const parent = isLinear || random() < 0.8 ? number - 1 : far
    const links = {
      parentUuid: parent < 0 ? null : uuid(parent),
      isSidechain: isMixed && random() < 0.2,
      ...(!isLinear && random() < 0.1 ? { logicalParentUuid: uuid(below(random, count)) } : {}),
    }
    const rest = { uuid: uuid(random() < 0.005 ? 0 : number), timestamp: new Date(number * 1000).toISOString() }
    return { ...links, sessionId: 's', ...randomBody(random, number), ...rest, ...randomExtras(random) }
  })
  const lines = records.map(record => {
    if (!isLinear && random() < 0.03) delete record['uuid']
    return JSON.stringify(record)
  })
  return `${lines.join('\n')}${random() < 0.9 ? '\n' : ''}`
}

function uuid(number: number): string {
  return `a0000000-0000-4000-8000-${String(number).padStart(12, '0')}`
}

function randomBody(random: Random, number: number): Record<string, unknown> {
  const flags = { ...(random() < 0.1 ? { isMeta: true } : {}), ...(random() < 0.05 ? { isCompactSummary: true } : {}) }
  const id = random() < 0.9 ? `m${Math.floor(number / 3) - below(random, 2)}` : undefined
  switch (below(random, 12)) {
    case 0:
      return { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', ...flags }
    case 1:
      return { type: 'system', subtype: 'informational', content: 'note', ...flags }
    case 2:
      return { type: 'progress', data: {} }
    case 3:
      return { type: 'attachment', attachment: { type: 'todo_reminder', content: [] } }
    case 4:
      return { type: 'attachment', attachment: { type: 'queued_command', prompt: 'and now', ...randomMode(random) } }
    case 5:
      return { type: ['tag', 'something-new'][below(random, 2)] }
    case 6:
    case 7:
      return {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: `t${number - 1}`, content: 'ok' }] },
      }
    case 8:
      return { type: 'assistant', message: { id, content: [{ type: 'tool_use', id: `t${number}`, name: 'Bash' }] } }
    case 9:
    case 10:
      return {
        type: 'assistant',
        ...flags,
        message: { id, content: [{ type: 'text', text: 'answer' }], ...randomUsage(random) },
      }
    default:
      return {
        type: 'user',
        ...flags,
        message: { content: ['a "tool_result" in words', '', 'prompt'][below(random, 3)] },
      }
  }
}

function randomMode(random: Random): Record<string, unknown> {
  return random() < 0.5 ? {} : { commandMode: ['prompt', 'task-notification'][below(random, 2)] }
}

/** Facts of the session that any record may state, also in a strange form. */
function randomExtras(random: Random): Record<string, unknown> {
  if (random() < 0.7) return {}
  const month = String(1 + below(random, 12)).padStart(2, '0')
  return pick(random, [
    { cwd: pick(random, ['/home/dev', ' ', '', null, 7, '/home/münchen']) },
    { slug: pick(random, ['quiet-river', '', '\t']) },
    { version: pick(random, ['2.1.25', '2.1.30', '', 3, 'v'.repeat(80)]) },
    { forkedFrom: pick(random, [{ sessionId: 'f' }, { sessionId: '' }, null, 'f']) },
    { costUSD: pick(random, [0.25, null, 'much']) },
    { timestamp: `2026-${month}-03T04:05:06.007Z` },
    { timestamp: pick(random, ['', null, '2026-05-06T07:08:09Z', '2026-05-06T07:08:09.123+02:00', 'soon', 12]) },
    { type: 'custom-title', customTitle: pick(random, ['A title', '', 4]) },
    { type: 'ai-title', aiTitle: 'Another title' },
    { type: 'summary', summary: 'A summary', leafUuid: uuid(below(random, 20)) },
    { type: 'cost-state', totalCostUSD: pick(random, [1.5, -1, null]) },
    { toolUseResult: { usage: { input_tokens: 1 } } },
    { message: pick(random, [null, 'text', { content: null }, { content: { 0: 'a' } }]) },
  ])
}

function randomUsage(random: Random): Record<string, unknown> {
  const tokens = (): unknown => (random() < 0.9 ? below(random, 1000) : pick(random, [null, '5', -3, 1e13, 0.5]))
  return pick(random, [
    {},
    { model: pick(random, ['claude-opus-4', '<synthetic>', '', null]) },
    { model: 'claude-sonnet-4', usage: { input_tokens: tokens(), output_tokens: tokens() } },
    { usage: { cache_read_input_tokens: tokens(), cache_creation: { ephemeral: 1 }, service_tier: 'a "}" b' } },
    { usage: pick(random, [null, 'none', [], {}]) },
  ])
}

function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[below(random, values.length)]
  if (value === undefined) throw new Error('There is nothing to pick from.')
  return value
}
