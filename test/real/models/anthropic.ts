// The Anthropic Messages API.
import { refuseHistory } from './anthropic-refusal.ts'
import { type Answer, freshId, type Model, paced, SIGNATURE, sendEvents, sendJson, TOOL_SEARCH } from './exchange.ts'
import { type Fields, fieldsOf, listOf, spokenIn, textOf } from './values.ts'

export const anthropic: Model = {
  serves: path => path.endsWith('/v1/messages'),
  understand(body) {
    const fields = fieldsOf(body)
    const messages = spokenIn(fields['messages'])
    const tools = listOf(fields['tools']).map(tool => textOf(fieldsOf(tool)['name']))
    return {
      messages,
      tools,
      prompt: promptOf(messages),
      shell: tools.find(name => /^bash$/i.test(name)),
      subagent: tools.find(name => name === 'Task' || name === 'Agent'),
      isStream: fields['stream'] === true,
      model: textOf(fields['model']),
    }
  },
  refuses: refuseHistory,
  async answer(response, request, answer) {
    const blocks = blocksOf(answer)
    const message = { id: freshId('msg_'), type: 'message', role: 'assistant', model: request.model }
    const stop = { stop_reason: answer.call === undefined ? 'end_turn' : 'tool_use', stop_sequence: null }
    if (!request.isStream) return sendJson(response, 200, { ...message, ...stop, content: blocks, usage: USAGE })
    const events = eventsOf(message, blocks, stop, answer)
    await sendEvents(
      response,
      events.map(({ pauseMs = 0, ...data }) => ({ event: data.type, data, pauseMs })),
    )
  },
}
const USAGE = { input_tokens: 10, output_tokens: 10 }

/** Whatever came after the last answer: an agent may put reminders of its own behind the prompt. */
function promptOf(messages: unknown[]): string {
  const last = messages.findLastIndex(message => fieldsOf(message)['role'] === 'assistant')
  const since = messages.slice(last + 1).flatMap(message => {
    const content = fieldsOf(message)['content']
    return Array.isArray(content) ? content.map(fieldsOf) : [{ type: 'text', text: content }]
  })
  if (since.some(block => block['type'] === 'tool_result'))
    return isToolSearch(messages[last]) ? promptOf(messages.slice(0, last)) : ''
  return since.map(block => textOf(fieldsOf(block)['text'])).join('\n')
}

/** After the search for a tool, the prompt is still to be answered. */
function isToolSearch(message: unknown): boolean {
  return listOf(fieldsOf(message)['content']).some(block => fieldsOf(block)['name'] === TOOL_SEARCH)
}

function blocksOf(answer: Answer): Fields[] {
  const blocks: Fields[] = []
  if (answer.thinking !== undefined) blocks.push({ type: 'thinking', thinking: answer.thinking, signature: SIGNATURE })
  blocks.push({ type: 'text', text: answer.text })
  if (answer.call !== undefined) blocks.push({ type: 'tool_use', ...answer.call })
  return blocks
}

type Event = Fields & { type: string; pauseMs?: number }

function eventsOf(message: Fields, blocks: Fields[], stop: Fields, answer: Answer): Event[] {
  const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage: USAGE }
  const middle = blocks.flatMap((block, index): Event[] => {
    const { empty, deltas } = partsOf(block, answer)
    return [
      { type: 'content_block_start', index, content_block: empty },
      ...deltas.map(({ pauseMs = 0, ...delta }) => ({ type: 'content_block_delta', index, delta, pauseMs })),
      { type: 'content_block_stop', index },
    ]
  })
  return [
    { type: 'message_start', message: start },
    ...middle,
    { type: 'message_delta', delta: stop, usage: { output_tokens: 10 } },
    { type: 'message_stop' },
  ]
}

function partsOf(block: Fields, answer: Answer): { empty: Fields; deltas: (Fields & { pauseMs?: number })[] } {
  switch (block['type']) {
    case 'tool_use':
      return {
        empty: { ...block, input: {} },
        deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }],
      }
    case 'thinking':
      return {
        empty: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          { type: 'thinking_delta', thinking: block['thinking'] },
          { type: 'signature_delta', signature: block['signature'] },
        ],
      }
    default:
      return {
        empty: { type: 'text', text: '' },
        deltas: paced(answer, text => ({ type: 'text_delta', text })).map(({ made, pauseMs }) => ({
          ...made,
          pauseMs,
        })),
      }
  }
}
