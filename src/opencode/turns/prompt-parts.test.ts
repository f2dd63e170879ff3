// What a client says, in the words of the protocol.
import { describe, expect, test } from 'vitest'
import { fitPrompt, type PromptBody, promptSchema, readPrompt } from './prompt-parts.ts'

const text = { type: 'text', text: 'hello' } as const
const base64 = Buffer.from('ä').toString('base64')

function blocksOf(...parts: object[]): object[] {
  return readPrompt(promptSchema.parse({ parts }))
}

describe('a message becomes', () => {
  test('its texts, without those that are for the client alone', () => {
    expect(blocksOf(text, { ...text, ignored: true }, { type: 'text', text: '' })).toEqual([
      { type: 'text', text: 'hello' },
      { type: 'text', text: '' },
    ])
  })

  test.each([
    ['a link', 'text/plain', 'file:///a/b.txt', { type: 'resource_link', uri: 'file:///a/b.txt', name: 'b.txt' }],
    [
      'a picture',
      'image/png',
      `data:image/png;base64,${base64}`,
      { type: 'image', data: base64, mimeType: 'image/png' },
    ],
    ['a sound', 'audio/wav', `data:audio/wav;base64,${base64}`, { type: 'audio', data: base64 }],
    ['its text', 'text/markdown', `data:text/markdown;base64,${base64}`, { type: 'resource', resource: { text: 'ä' } }],
    ['its text, as it stands', 'application/json', 'data:application/json,%7B%7D', { resource: { text: '{}' } }],
    ['its bytes', 'application/pdf', `data:application/pdf;base64,${base64}`, { resource: { blob: base64 } }],
  ])('of a file, %s', (_name, mime, url, block) => {
    expect(blocksOf({ type: 'file', mime, url })).toMatchObject([block])
  })
})

describe('a message is refused', () => {
  test.each([
    ['that says nothing', { parts: [] }, 'usage'],
    ['that only names a helper', { parts: [{ type: 'agent', name: 'x' }] }, 'usage'],
    [
      'with an address that means nothing',
      { parts: [{ type: 'file', mime: 'text/plain', url: 'data:,%zz' }] },
      'usage',
    ],
    ['that wants no answer', { parts: [text], noReply: true }, 'unsupported'],
    ['with instructions of its own', { parts: [text], system: 'Be brief.' }, 'unsupported'],
    ['with tools of its own', { parts: [text], tools: { bash: false } }, 'unsupported'],
    ['that wants an answer in a form', { parts: [text], format: { type: 'json_schema' } }, 'unsupported'],
    ['with a task beside it', { parts: [text, { type: 'subtask' }] }, 'unsupported'],
  ])('%s', (_name, body, code) => {
    expect(() => readPrompt(promptSchema.parse(body) as PromptBody)).toThrow(expect.objectContaining({ code }))
  })
})

test.each(['a', 'a=', 'ab=c', '#!?*', 'aGVsbG8=='])(
  'a file whose content is %s is refused: that is not base64',
  data => {
    const url = `data:image/png;base64,${data}`
    expect(() => blocksOf({ type: 'file', mime: 'image/png', url })).toThrow(expect.objectContaining({ code: 'usage' }))
  },
)

describe('an agent gets', () => {
  const title = 'Agent'
  const image = { type: 'image', data: base64, mimeType: 'image/png' }
  const file = { type: 'resource', resource: { uri: 'attachment:a%20b.md', text: 'ä' } }

  test('what it says that it accepts', () => {
    expect(fitPrompt([text, image, file], { title, capabilities: { image: true, embeddedContext: true } })).toEqual([
      text,
      image,
      file,
    ])
  })

  test('a text file as text, where it takes no files', () => {
    expect(fitPrompt([file], { title, capabilities: undefined })).toEqual([{ type: 'text', text: 'a b.md:\nä' }])
  })

  test.each([
    ['images', image],
    ['sound', { type: 'audio', data: base64 }],
    ['files that are not text', { type: 'resource', resource: { blob: base64 } }],
  ])('no %s, where it does not accept them', (what, block) => {
    expect(() => fitPrompt([block], { title, capabilities: {} })).toThrow(`Agent does not accept ${what}.`)
  })
})
