// Live conversations: whom one can talk to, what is asked of a conversation, and how it is.
import { z } from 'zod'
import { apiErrorSchema } from './common.ts'
import { messageSchema } from './messages.ts'

/** What a person may say at once; a pasted log is the longest. */
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
  /** Those that are installed first. */
  agents: z.array(talkAgentSchema),
  /** Folders of projects that are there, the one that was worked in last first. */
  folders: z.array(z.string()),
})
export type TalkChoices = z.infer<typeof talkChoicesSchema>

export const beginSchema = z.object({
  agent: name,
  /** Absolute, or from the home on: `~/project`. */
  folder: z.string().min(1).max(4096),
  title: z.string().max(200).optional(),
})
export type NewTalk = z.infer<typeof beginSchema>

export const begunSchema = z.object({
  id: z.string(),
  /** Of the session in the library. */
  key: z.string(),
  /** False until something is said: then `/api/sessions/KEY` does not know it yet. */
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
    /** What the tool would be given, as text; null where the agent does not say. */
    input: z.string().nullable(),
    /** Lasting: the agent remembers the answer, and does not ask again. */
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

/** Named by the id of a message; without either, the copy has everything. */
export const forkSchema = z.object({
  /** The last message that the copy has; of a turn, all of it. */
  upTo: name.optional(),
  /** The first message that it has not. */
  before: name.optional(),
})
export type ForkPlace = z.infer<typeof forkSchema>

/** As in a page of messages, under the same id; only its place is not known. */
export const liveMessageSchema = messageSchema.omit({ index: true })
export type LiveMessage = z.infer<typeof liveMessageSchema>

export const talkStateSchema = begunSchema.extend({
  agent: z.string(),
  agentTitle: z.string(),
  title: z.string().nullable(),
  folder: z.string(),
  /** `error`: the last turn failed. */
  status: z.enum(['idle', 'busy', 'error']),
  /** Said, and the agent was not told yet: it is being started or brought back. */
  pending: z.string().nullable(),
  questions: z.array(questionSchema),
  /** How it came back last, and what the agent may not know any more. */
  restored: z.object({ rung: z.string(), text: z.string(), lost: z.string().nullable(), time: z.string() }).nullable(),
  /** Of the last turn; `prompt` is what was said. */
  failure: apiErrorSchema.extend({ prompt: z.string().nullable() }).nullable(),
  /** Why nothing can be said here: another rethread has it. */
  heldElsewhere: apiErrorSchema.nullable(),
  plan: z.array(z.object({ content: z.string(), status: z.string() })),
  mode: z.string().nullable(),
  /** That the agent told last, in its order; each is said as `/name`. */
  commands: z.array(z.object({ name: z.string(), description: z.string() })),
})
export type TalkState = z.infer<typeof talkStateSchema>

/** Whoever asks in place of watching also gets the last messages, those of the open turn among them. */
export const talkSchema = talkStateSchema.extend({ messages: z.array(liveMessageSchema) })
