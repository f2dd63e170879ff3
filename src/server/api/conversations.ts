// Live conversations: the available agents, the requests, and the state of a conversation.
import { z } from 'zod'
import { apiErrorSchema } from './common.ts'
import { messageSchema } from './messages.ts'

/** The longest prompt: large enough for a pasted log. */
export const MAX_PROMPT_CHARS = 500_000

const name = z.string().min(1).max(500)

export const talkAgentSchema = z.object({
  name: z.string(),
  title: z.string(),
  isInstalled: z.boolean(),
  /** A command to paste. */
  install: z.string().optional(),
  source: z.enum(['default', 'config', 'built-in']),
})
export type TalkAgent = z.infer<typeof talkAgentSchema>

export const talkChoicesSchema = z.object({
  /** Installed agents first. */
  agents: z.array(talkAgentSchema),
  /** Existing project folders, the most recently used first. */
  folders: z.array(z.string()),
})
export type TalkChoices = z.infer<typeof talkChoicesSchema>

export const beginSchema = z.object({
  agent: name,
  /** Absolute, or below the home folder: `~/project`. */
  folder: z.string().min(1).max(4096),
  title: z.string().max(200).optional(),
})
export type NewTalk = z.infer<typeof beginSchema>

export const begunSchema = z.object({
  id: z.string(),
  /** The key of the session in the catalog. */
  key: z.string(),
  /** False until the first prompt: `/api/sessions/KEY` does not know the conversation before. */
  isListed: z.boolean(),
})
export type BegunTalk = z.infer<typeof begunSchema>

const fieldSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  type: z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices']),
  options: z.array(z.object({ value: z.string(), title: z.string() })),
  isRequired: z.boolean(),
})
export type QuestionField = z.infer<typeof fieldSchema>

export const questionSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('permission'),
    key: z.string(),
    title: z.string(),
    /** The input of the tool, as text; null if the agent does not send it. */
    input: z.string().nullable(),
    /** `isLasting`: the agent remembers the answer and does not ask again. */
    options: z.array(z.object({ id: z.string(), name: z.string(), isAllowing: z.boolean(), isLasting: z.boolean() })),
  }),
  z.object({
    type: z.literal('question'),
    key: z.string(),
    message: z.string(),
    fields: z.array(fieldSchema),
  }),
])
export type TalkQuestion = z.infer<typeof questionSchema>

export const answerSchema = z.object({
  question: name,
  answer: z.discriminatedUnion('type', [
    z.object({ type: z.literal('selected'), optionId: name }),
    z.object({ type: z.literal('accept'), content: z.record(z.string(), z.unknown()) }),
    z.object({ type: z.literal('decline') }),
    z.object({ type: z.literal('cancelled') }),
  ]),
})
export type TalkAnswer = z.infer<typeof answerSchema>['answer']

export const promptSchema = z.object({ text: z.string().min(1).max(MAX_PROMPT_CHARS) })

/** Both are ids of messages. Without either, the copy contains everything. */
export const forkSchema = z.object({
  /** The last message of the copy, which contains the whole turn. */
  upTo: name.optional(),
  /** The first message that the copy does not contain. */
  before: name.optional(),
})
export type ForkPlace = z.infer<typeof forkSchema>

/** The same as in a page of messages, with the same id but without an index. */
export const liveMessageSchema = messageSchema.omit({ index: true })
export type LiveMessage = z.infer<typeof liveMessageSchema>

export const talkStateSchema = begunSchema.extend({
  agent: z.string(),
  agentTitle: z.string(),
  title: z.string().nullable(),
  folder: z.string(),
  /** `error`: the last turn failed. */
  status: z.enum(['idle', 'busy', 'error']),
  /** A prompt that the agent has not received yet, because the agent is being started or restored. */
  pending: z.string().nullable(),
  /** What is done before the agent gets the prompt, since when, and after how long it is given up. */
  preparing: z.object({ text: z.string(), beganAt: z.number(), limitMs: z.number() }).nullable(),
  questions: z.array(questionSchema),
  /** How the conversation was restored last, and what the agent may have forgotten. */
  restored: z.object({ rung: z.string(), text: z.string(), lost: z.string().nullable(), time: z.string() }).nullable(),
  /** The failure of the last turn, with its prompt. */
  failure: apiErrorSchema.extend({ prompt: z.string().nullable() }).nullable(),
  /** Why this conversation takes no prompt: another rethread process holds it. */
  heldElsewhere: apiErrorSchema.nullable(),
  plan: z.array(z.object({ content: z.string(), status: z.string() })),
  mode: z.string().nullable(),
  /** The commands that the agent sent last, in its order. A prompt `/name` runs one. */
  commands: z.array(z.object({ name: z.string(), description: z.string() })),
})
export type TalkState = z.infer<typeof talkStateSchema>

/** For clients that poll instead of watching: the state and the last messages, including the open turn. */
export const talkSchema = talkStateSchema.extend({ messages: z.array(liveMessageSchema) })
