// The Gemini generateContent API.
import { type Answer, type Model, paced, SIGNATURE, sendEvents, sendJson } from './exchange.ts'
import { contentText, type Fields, fieldsOf, listOf, textOf } from './values.ts'

const SHELL = 'run_shell_command'

export const gemini: Model = {
  serves: path => /:(streamG|g)enerateContent$/.test(path),
  understand(body, path) {
    const fields = fieldsOf(body)
    const messages = listOf(fields['contents'])
    const parts = listOf(fieldsOf(messages.at(-1))['parts'])
    const offered = listOf(fields['tools']).flatMap(tool => listOf(fieldsOf(tool)['functionDeclarations']))
    const tools = offered.map(tool => textOf(fieldsOf(tool)['name']))
    return {
      messages,
      tools,
      prompt: parts.some(part => 'functionResponse' in fieldsOf(part)) ? '' : contentText(parts),
      shell: tools.find(name => name === SHELL),
      isStream: path.includes(':stream'),
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
    }
  },
  async answer(response, request, answer) {
    const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 }
    const chunkOf = (parts: Fields[], finish: Fields) => {
      const candidates = [{ content: { role: 'model', parts }, ...finish, index: 0 }]
      return { candidates, usageMetadata, modelVersion: request.model }
    }
    const end = { finishReason: 'STOP' }
    if (!request.isStream) return sendJson(response, 200, chunkOf(partsOf(answer), end))
    const words = answer.pieces.length === 1 ? [] : paced(answer, text => chunkOf([{ text }], {}))
    const last = words.length === 0 ? partsOf(answer) : [{ text: '' }]
    await sendEvents(response, [
      ...words.map(({ made, pauseMs }) => ({ data: made, pauseMs })),
      { data: chunkOf(last, end) },
    ])
  },
}

function partsOf(answer: Answer): Fields[] {
  const thoughts = answer.thinking === undefined ? [] : [{ text: `**Plan** ${answer.thinking}`, thought: true }]
  if (answer.call === undefined) return [...thoughts, { text: answer.text }]
  const { name, input } = answer.call
  return [...thoughts, { functionCall: { name, args: input }, thoughtSignature: SIGNATURE }]
}
