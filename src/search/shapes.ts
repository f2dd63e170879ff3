// What is asked of a search, and what it answers: `rethread search --json`, the
// HTTP API and the MCP server use these shapes.
import { z } from 'zod'
import { MAX_PASSAGES, MAX_QUERY_CHARACTERS, MAX_RESULTS } from './limits.ts'

/** The sides of a conversation that a search can be limited to. */
export const searchRoleSchema = z.enum(['user', 'assistant', 'tool'])
export type SearchRole = z.infer<typeof searchRoleSchema>

export const searchQuerySchema = z.object({
  /** Words, "phrases", -not, prefix*. A text that cannot be parsed is searched as plain words. */
  text: z.string().max(MAX_QUERY_CHARACTERS),
  /** The id of an agent. */
  agent: z.string().optional(),
  /** An absolute folder: conversations in it or below it. */
  project: z.string().optional(),
  /** Milliseconds since 1970: only messages since, and until. */
  since: z.number().optional(),
  until: z.number().optional(),
  role: searchRoleSchema.optional(),
  /** The last word may not be complete yet. */
  isTyping: z.boolean().optional(),
  /** Only this session: its id or the beginning of it, `agent:id`, or the path of its file. */
  in: z.string().optional(),
  /** Only messages that name this file: a path, or the end of one. */
  file: z.string().optional(),
  /** Conversations in the answer. */
  limit: z.number().int().min(1).max(MAX_RESULTS).optional(),
  /** Passages for each conversation. Default: 3, within one conversation 20. */
  passages: z.number().int().min(1).max(MAX_PASSAGES).optional(),
})
export type SearchQuery = z.infer<typeof searchQuerySchema>

const placeSchema = z.union([
  z.object({ file: z.string(), start: z.number(), end: z.number() }),
  z.object({ file: z.string(), table: z.string(), row: z.union([z.string(), z.number()]) }),
])

export const searchMatchSchema = z.object({
  /** The number of the message in its conversation, from 1: `rethread show ID --at-message N`. */
  message: z.number(),
  role: z.enum(['user', 'assistant', 'tool', 'system']),
  /** What the passage is: said, thought, a call of a tool, its output, a file, a notice. */
  part: z.enum(['text', 'thinking', 'tool-call', 'tool-result', 'file', 'notice']),
  time: z.string().nullable(),
  /** Untrusted text on one line, with what matched in the middle. */
  snippet: z.string(),
  /** Where the matches are in the snippet: pairs of start and end, in UTF-16 units. */
  marks: z.array(
    // Without this, a description of it would say nothing of the length.
    z.tuple([z.number(), z.number()]).meta({ type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 }),
  ),
  place: placeSchema,
})
export type SearchMatch = z.infer<typeof searchMatchSchema>

export const searchResultSchema = z.object({
  agent: z.string(),
  sessionId: z.string(),
  title: z.string().nullable(),
  project: z.string().nullable(),
  filePath: z.string(),
  updatedAt: z.string(),
  /** Only the archive still has it. */
  isArchived: z.boolean(),
  score: z.number(),
  /** How many passages match in this conversation; the best of them follow. */
  hits: z.number(),
  matches: z.array(searchMatchSchema),
})
export type SearchResult = z.infer<typeof searchResultSchema>

export const searchAnswerSchema = z.object({
  results: z.array(searchResultSchema),
  /** Sessions in the index, and how many are not in it yet or have changed since. */
  indexed: z.object({ sessions: z.number(), behind: z.number() }),
  /** Whether there are more conversations than the limit, or more matches than are examined. */
  isMore: z.boolean(),
})
export type SearchAnswer = z.infer<typeof searchAnswerSchema>
