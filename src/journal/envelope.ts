// Reads JSON-RPC messages without assumptions about their shape.

const MAX_KIND_CHARS = 200

export type JsonRpcId = string | number | null

/**
 * The kind under which a message is found in the journal: `session/update:tool_call`, `session/prompt`,
 * `response:session/prompt`, `error:session/prompt`, or the name of a note. `asked` is the method of the
 * request that a response answers.
 */
export function kindOf(message: unknown, asked: string | undefined): string {
  const { method, params, error } = asFields(message)
  if (typeof method !== 'string') return cut(`${error === undefined ? 'response' : 'error'}:${asked ?? 'unknown'}`)
  const variant = method === 'session/update' ? asFields(asFields(params)['update'])['sessionUpdate'] : undefined
  return cut(typeof variant === 'string' ? `${method}:${variant}` : method)
}

export function asFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

function cut(kind: string): string {
  return kind.slice(0, MAX_KIND_CHARS)
}
