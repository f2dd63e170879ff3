// The OpenAI Responses API.
import { type Answer, freshId, type Model, paced, SIGNATURE, sendEvents, sendJson } from './exchange.ts'
import { contentText, type Fields, fieldsOf, listOf, spokenIn, textOf } from './values.ts'

const SHELLS = ['shell', 'shell_command', 'exec_command', 'local_shell', 'bash']

export const openaiResponses: Model = {
  serves: path => path.endsWith('/responses'),
  understand(body) {
    const fields = fieldsOf(body)
    const messages = spokenIn(fields['input'])
    const last = fieldsOf(messages.at(-1))
    return {
      messages,
      tools: toolNames(fields['tools']),
      prompt: textOf(last['type']).endsWith('_output') ? '' : contentText(last['content']),
      shell: listOf(fields['tools'])
        .map(tool => textOf(fieldsOf(tool)['name'] ?? fieldsOf(tool)['type']))
        .find(name => SHELLS.includes(name)),
      isStream: fields['stream'] === true,
      model: textOf(fields['model']),
    }
  },
  async answer(response, request, answer) {
    const output = itemsOf(answer)
    const whole = { id: freshId('resp_'), object: 'response', status: 'completed', model: request.model, output, usage }
    if (!request.isStream) return sendJson(response, 200, whole)
    const events: Event[] = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      ...output.flatMap((item, output_index) => eventsOf(item, output_index, answer)),
      { type: 'response.completed', response: whole },
    ]
    await sendEvents(
      response,
      events.map(({ pauseMs = 0, ...data }) => ({ event: data.type, data, pauseMs })),
    )
  },
}

/** Tools of an MCP server may be in a namespace of their own. */
function toolNames(tools: unknown): string[] {
  return listOf(tools).flatMap(tool => {
    const { name, tools: inside } = fieldsOf(tool)
    return [textOf(name), ...toolNames(inside).map(own => `${textOf(name)}/${own}`)]
  })
}

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 20,
}

function itemsOf(answer: Answer): Fields[] {
  const items: Fields[] = []
  if (answer.thinking !== undefined) {
    const summary = [{ type: 'summary_text', text: answer.thinking }]
    items.push({ type: 'reasoning', id: freshId('rs_'), summary, encrypted_content: SIGNATURE })
  }
  const { call } = answer
  if (call === undefined) items.push(messageOf(answer.text))
  else
    items.push({
      type: 'function_call',
      id: freshId('fc_'),
      call_id: call.id,
      ...namesOf(call.name),
      arguments: JSON.stringify(
        SHELLS.includes(call.name) ? argumentsFor(call.name, textOf(call.input['command'])) : call.input,
      ),
      status: 'completed',
    })
  return items
}

function namesOf(name: string): Fields {
  const [first = '', second] = name.split('/')
  return second === undefined ? { name: first } : { name: second, namespace: first }
}

function messageOf(text: string): Fields {
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { type: 'message', id: freshId('msg_'), role: 'assistant', status: 'completed', content }
}

/** Each name of the shell takes its command in another shape. */
function argumentsFor(shell: string, command: string): Fields {
  // Without it, a command that writes only fails in the sandbox.
  const isWriting = command.includes('>')
  const asked = isWriting ? { sandbox_permissions: 'require_escalated', justification: 'May it write?' } : {}
  if (shell === 'exec_command') return { cmd: command, ...asked }
  if (shell === 'shell_command') return { command }
  return { command: ['bash', '-lc', command] }
}

type Event = Fields & { type: string; pauseMs?: number }

function eventsOf(item: Fields, output_index: number, answer: Answer): Event[] {
  const added = { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress' } }
  const done = { type: 'response.output_item.done', output_index, item }
  if (item['type'] !== 'message') return [added, done]
  const named = { type: 'response.output_text.delta', item_id: item['id'], output_index, content_index: 0 }
  const deltas = paced(answer, delta => ({ ...named, delta })).map(({ made, pauseMs }) => ({ ...made, pauseMs }))
  return [{ ...added, item: { ...item, content: [] } }, ...deltas, done]
}
