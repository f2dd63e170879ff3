// The OpenAI Chat Completions API.
import { type Answer, freshId, type Model, paced, sendEvents, sendJson } from './exchange.ts'
import { contentText, type Fields, fieldsOf, listOf, spokenIn, textOf } from './values.ts'

export const openaiChat: Model = {
  serves: path => path.endsWith('/chat/completions'),
  understand(body) {
    const fields = fieldsOf(body)
    const messages = spokenIn(fields['messages'])
    const last = fieldsOf(messages.at(-1))
    const tools = listOf(fields['tools']).map(tool => textOf(fieldsOf(fieldsOf(tool)['function'])['name']))
    return {
      messages,
      tools,
      prompt: last['role'] === 'user' ? contentText(last['content']) : '',
      shell: tools.find(name => name === 'bash'),
      isStream: fields['stream'] === true,
      model: textOf(fields['model']),
    }
  },
  async answer(response, request, answer) {
    const finish = answer.call === undefined ? 'stop' : 'tool_calls'
    const base = { id: freshId('chatcmpl-'), created: Math.floor(Date.now() / 1000), model: request.model }
    const message = messageOf(answer)
    if (!request.isStream) {
      const choices = [{ index: 0, message, finish_reason: finish }]
      return sendJson(response, 200, { ...base, object: 'chat.completion', choices, usage })
    }
    const chunk = (delta: Fields, finish_reason: string | null, extra: Fields = {}) => ({
      data: { ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...extra },
    })
    const words = paced(answer, content =>
      chunk({ ...message, ...(answer.call === undefined ? { content } : {}) }, null),
    )
    await sendEvents(response, [
      ...words.map(({ made, pauseMs }) => ({ ...made, pauseMs })),
      chunk({}, finish, { usage }),
      { data: '[DONE]' },
    ])
  },
}
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }

function messageOf(answer: Answer): Fields {
  const thoughts = answer.thinking === undefined ? {} : { reasoning_content: answer.thinking }
  const { call } = answer
  if (call === undefined) return { role: 'assistant', ...thoughts, content: answer.text }
  const asked = { name: call.name, arguments: JSON.stringify(call.input) }
  return {
    role: 'assistant',
    ...thoughts,
    content: null,
    tool_calls: [{ index: 0, id: call.id, type: 'function', function: asked }],
  }
}
