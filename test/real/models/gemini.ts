// The Gemini generateContent API.
import { type Answer, type Model, SIGNATURE, sendEvents, sendJson } from './exchange.ts'
import { contentText, type Fields, fieldsOf, listOf, textOf } from './values.ts'

const SHELL = 'run_shell_command'

export const gemini: Model = {
  serves: path => /:(streamG|g)enerateContent$/.test(path),
  understand(body, path) {
    const fields = fieldsOf(body)
    const messages = listOf(fields['contents'])
    const parts = listOf(fieldsOf(messages.at(-1))['parts'])
    const offered = listOf(fields['tools']).flatMap(tool => listOf(fieldsOf(tool)['functionDeclarations']))
    return {
      messages,
      prompt: parts.some(part => 'functionResponse' in fieldsOf(part)) ? '' : contentText(parts),
      shell: offered.map(tool => textOf(fieldsOf(tool)['name'])).find(name => name === SHELL),
      isStream: path.includes(':stream'),
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
    }
  },
  answer(response, request, answer) {
    const content = { role: 'model', parts: partsOf(answer) }
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 }
    const candidates = [{ content, finishReason: 'STOP', index: 0 }]
    const data = { candidates, usageMetadata, modelVersion: request.model }
    if (!request.isStream) return sendJson(response, 200, data)
    sendEvents(response, [{ data }])
  },
}

function partsOf(answer: Answer): Fields[] {
  const thoughts = answer.thinking === undefined ? [] : [{ text: `**Plan** ${answer.thinking}`, thought: true }]
  if (answer.call === undefined) return [...thoughts, { text: answer.text }]
  const { name, input } = answer.call
  return [...thoughts, { functionCall: { name, args: input }, thoughtSignature: SIGNATURE }]
}
