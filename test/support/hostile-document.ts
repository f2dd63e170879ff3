// A document whose messages speak of messages: as texts, as arguments of calls, as results. Those are named fake.
import { isObject } from '../../src/bytes/json.ts'

type Json = Record<string, unknown>

/** Takes the head and the shape of messages from a document of the same agent. */
export function hostileDocument(original: unknown): Json {
  if (!isObject(original) || !Array.isArray(original['messages'])) throw new Error('no document with messages')
  const [first] = original['messages'].filter(isObject)
  if (first === undefined) throw new Error('no message')
  const named = 'messageId' in first ? 'messageId' : 'id'
  const fake = (number: number): Json => ({ ...first, [named]: `fake${number}` })
  const document = { ...original, messages: [fake(91), fake(92)] }
  const texts = [
    JSON.stringify(fake(1)),
    JSON.stringify([fake(2), fake(3)], null, 2),
    'it ends with {',
    '}]},{"id":"fake4"',
    `${JSON.stringify(document, null, 2)}\n`,
    `"},\n    {\n      "id": "fake5",\n`,
  ]
  const messages = Array.from({ length: 8 }, (_, number) => speakOf(first, named, number, texts, fake, document))
  return { ...original, messages }
}

function speakOf(
  first: Json,
  named: string,
  number: number,
  texts: readonly string[],
  fake: (number: number) => Json,
  document: Json,
): Json {
  const id = named === 'messageId' ? number : `real-${number}`
  const text = texts[number % texts.length] ?? ''
  const input = {
    messages: [fake(10), fake(11), fake(12)],
    one: fake(13),
    document,
    list: [[fake(14)], fake(15)],
    text,
  }
  if (named === 'messageId') {
    const content = [
      { type: 'text', text },
      ...(number % 2 === 0 ? [] : [{ type: 'tool_use', id: `t${number}`, name: 'x', input }]),
    ]
    return { ...first, role: number % 2 === 0 ? 'user' : 'assistant', messageId: id, content }
  }
  if (number % 2 === 0) return { ...first, id, type: 'user', content: text }
  const response = { output: text, messages: [fake(20), fake(21)] }
  const result = [{ functionResponse: { id: `t${number}`, name: 'x', response } }]
  return {
    ...first,
    id,
    type: 'gemini',
    content: text,
    toolCalls: [{ id: `t${number}`, name: 'x', args: input, result, status: 'success' }],
  }
}
