// Logs that no agent would write, and that a reader must still agree on with every faster way to the same facts.
import { below, type Random } from '../random.ts'

type Json = Record<string, unknown>

const TEXTS = ['one', 'two', ' three ', 'quoted "four"', 'fünf', '<environment_context>\n<cwd>/home/dev/shop</cwd>', '']

/** Events without items, copies, times that go back, rollbacks, unknown fields, counts that come late. */
export function randomLog(random: Random, isPlain: boolean): string {
  const lines: string[] = []
  let [now, total] = [Date.UTC(2026, 10, 30, 23, 59), 0]
  const add = (type: string, payload: Json, more: Json = {}): void => {
    now += below(random, 3) * 500
    const time = isPlain || random() < 0.98 ? now : now - below(random, 5000)
    lines.push(JSON.stringify({ timestamp: new Date(time).toISOString(), type, payload, ...more }))
  }
  const one = <T>(values: readonly T[]): T => values[below(random, values.length)] as T
  add('session_meta', { id: 's', timestamp: new Date(now).toISOString(), cwd: '/home/dev/api', cli_version: '0.166.0' })
  const count = 1 + below(random, random() < 0.1 ? 150 : 40)
  for (let number = 0; number < count; number++) {
    const text = `${one(TEXTS)}${one(['', number])}`
    switch (below(random, 14)) {
      case 0:
        add('response_item', message('user', 'input_text', text, random))
        if (isPlain || random() < 0.9) add('event_msg', { type: 'user_message', message: text })
        break
      case 1:
        add('event_msg', { type: 'agent_message', message: text })
        if (isPlain || random() < 0.9) add('response_item', message('assistant', 'output_text', text, random))
        break
      case 2:
        add('response_item', { type: 'reasoning', id: `rs_${number}`, summary: one([[], [{ text }]]) })
        break
      case 3:
      case 4:
        add('response_item', {
          type: one(CALLS),
          call_id: `c${number}`,
          name: 'shell',
          arguments: '{}',
          ...some(random),
        })
        break
      case 5:
      case 6:
        add('response_item', { type: one(OUTPUTS), call_id: `c${number - 1}`, output: text, ...some(random) })
        break
      case 7:
      case 8:
        total += below(random, 100)
        add('event_msg', {
          type: 'token_count',
          info: {
            last_token_usage: { input_tokens: 5, output_tokens: number },
            ...(random() < 0.8 ? { total_token_usage: { total_tokens: total, output_tokens: total } } : {}),
          },
        })
        break
      case 9:
        add('turn_context', { cwd: one(['/home/dev/api', '/home/dev/shop']), model: one(['gpt-5', 'gpt-6']) })
        break
      case 10:
        add('event_msg', { type: one(EVENTS), message: text, thread_name: text, reason: text, ...some(random) })
        break
      case 11:
        add('event_msg', {
          type: 'item_completed',
          item: { type: one(COMPLETED), content: [{ type: 'Text', text }] },
          ...some(random),
        })
        break
      case 12:
        if (!isPlain) addOdd(add, one, number)
        break
      default:
        if (!isPlain && random() < 0.2) lines.push(one(lines))
    }
  }
  return `${lines.join('\n')}${random() < 0.9 ? '\n' : ''}`
}

const CALLS = ['function_call', 'custom_tool_call', 'web_search_call', 'local_shell_call']
const OUTPUTS = ['function_call_output', 'custom_tool_call_output']
const EVENTS = [
  'exec_command_end',
  'task_started',
  'turn_aborted',
  'error',
  'thread_name_updated',
  'context_compacted',
  'new',
]
const COMPLETED = ['CommandExecution', 'FileChange', 'CommandExecution', 'Plan', 'Something']

function addOdd(
  add: (type: string, payload: Json, more?: Json) => void,
  one: <T>(values: readonly T[]) => T,
  number: number,
): void {
  const odd: [string, Json, Json?][] = [
    ['event_msg', { type: 'thread_rolled_back', num_turns: 1 }],
    ['compacted', { message: 'what was said before' }],
    ['response_item', { type: 'something_new', text: 'a new kind of item' }],
    [
      'response_item',
      { type: 'message', id: 'twice', role: 'assistant', content: [{ type: 'output_text', text: 'once' }] },
    ],
    ['world_state', { number }],
    ['inter_agent_communication', { content: [{ type: 'text', text: 'from another agent' }] }],
    ['session_meta', { id: 'of another', history_base: {}, forked_from_id: 's' }],
    ['response_item', { type: 'function_call', id: `fc_${number % 3}`, call_id: 'c', name: 'shell' }],
    ['event_msg', { type: 'error', message: 'no time' }, { timestamp: 'yesterday' }],
  ]
  add(...one(odd))
}

function message(role: string, type: string, text: string, random: Random): Json {
  return { type: 'message', role, content: [{ type, text }], ...some(random) }
}

/** A field that the reader does not know, at times. */
function some(random: Random): Json {
  return random() < 0.1 ? { novel: 'a text in a field that is new' } : {}
}
