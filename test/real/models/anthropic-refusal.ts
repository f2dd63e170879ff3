// What the Anthropic API refuses in a history, so that a poisoned one shows itself here as it does there.
import { type Fields, fieldsOf, spokenIn, stringsIn, textOf } from './values.ts'

/** The error text of the refusal, or undefined where the request is taken. */
export function refuseHistory(body: unknown): string | undefined {
  for (const text of stringsIn(body))
    if (!text.isWellFormed()) return 'The request body is not valid JSON: no low surrogate in string'
  // Among the messages of newer agents are system ones, which may be empty.
  const messages = spokenIn(fieldsOf(body)['messages']).map(blocksOf)
  for (const [index, blocks] of messages.entries()) {
    const why =
      refuseBlocks(blocks) ??
      refuseCalls(blocks, messages[index + 1] ?? []) ??
      refuseResults(blocks, messages[index - 1] ?? [])
    if (why !== undefined) return `messages.${index}: ${why}`
  }
  return refuseRepeatedCalls(messages)
}

function blocksOf(message: unknown): Fields[] {
  const content = fieldsOf(message)['content']
  return Array.isArray(content) ? content.map(fieldsOf) : [{ type: 'text', text: content }]
}

function refuseBlocks(blocks: Fields[]): string | undefined {
  if (blocks.length === 0) return 'all messages must have non-empty content'
  for (const block of blocks) {
    if (block['type'] === 'text' && textOf(block['text']).trim() === '') return 'text content blocks must be non-empty'
    if (block['type'] === 'thinking' && textOf(block['signature']) === '')
      return 'Invalid `signature` in `thinking` block'
  }
  return undefined
}

function refuseCalls(blocks: Fields[], next: Fields[]): string | undefined {
  const answered = new Set(resultIds(next))
  const missing = callIds(blocks).filter(id => !answered.has(id))
  if (missing.length === 0) return undefined
  return `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`
}

function refuseResults(blocks: Fields[], previous: Fields[]): string | undefined {
  const results = resultIds(blocks)
  const called = new Set(callIds(previous))
  const stray = results.find(id => !called.has(id))
  if (stray !== undefined) return `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`
  if (new Set(results).size < results.length) return 'each tool_use must have a single result'
  return undefined
}

function refuseRepeatedCalls(messages: Fields[][]): string | undefined {
  const ids = messages.flatMap(callIds)
  return new Set(ids).size < ids.length ? '`tool_use` ids must be unique' : undefined
}

function callIds(blocks: Fields[]): string[] {
  return blocks.filter(block => block['type'] === 'tool_use').map(block => textOf(block['id']))
}

function resultIds(blocks: Fields[]): string[] {
  return blocks.filter(block => block['type'] === 'tool_result').map(block => textOf(block['tool_use_id']))
}
