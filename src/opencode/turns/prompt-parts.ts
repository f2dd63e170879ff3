// Converts the prompt of a client to ACP content. What ACP cannot express is refused, not dropped.
import { z } from 'zod'
import { asFields } from '../../journal/envelope.ts'
import { badRequest, unsupported } from '../errors.ts'
import { MAX_GIVEN_ID_CHARS } from '../projection/limits.ts'

const textPart = z.looseObject({ type: z.literal('text'), text: z.string(), ignored: z.boolean().optional() })
const filePart = z.looseObject({
  type: z.literal('file'),
  mime: z.string(),
  url: z.string(),
  filename: z.string().optional(),
})
/** Names a subagent. The text of the message names it too. */
const agentPart = z.looseObject({ type: z.literal('agent'), name: z.string() })
const subtaskPart = z.looseObject({ type: z.literal('subtask') })

export const modelSchema = z.looseObject({ providerID: z.string().min(1), modelID: z.string().min(1) })

export const promptSchema = z.looseObject({
  messageID: z.string().min(1).max(MAX_GIVEN_ID_CHARS).optional(),
  model: modelSchema.optional(),
  agent: z.string().optional(),
  noReply: z.boolean().optional(),
  system: z.string().optional(),
  tools: z.record(z.string(), z.boolean()).optional(),
  format: z.looseObject({ type: z.string() }).optional(),
  parts: z.array(z.discriminatedUnion('type', [textPart, filePart, agentPart, subtaskPart])),
})
export type PromptBody = z.infer<typeof promptSchema>
type PromptPart = PromptBody['parts'][number]

export type Block = { type: string } & Record<string, unknown>

const DATA_URL = /^data:([^;,]*)((?:;[^;,]*)*),/
const TEXT_MIME = /^text\/|[/+](json|xml|yaml|toml|javascript|typescript)$/

/** Throws `usage` for an empty prompt, and `unsupported` for what ACP cannot express. */
export function readPrompt(body: PromptBody): Block[] {
  refuseOthers(body)
  const blocks = body.parts.flatMap(toBlocks)
  if (blocks.length === 0) throw badRequest('The message is empty: it has no text and no file.')
  return blocks
}

function refuseOthers({ noReply, system, tools, format, parts }: PromptBody): void {
  if (noReply === true) throw unsupported('An agent answers every message: noReply is not supported.')
  if (system !== undefined && system !== '')
    throw unsupported('An agent has its own instructions: a message cannot set others.')
  if (Object.keys(tools ?? {}).length > 0) throw unsupported('A message cannot choose the tools of an agent.')
  if (format !== undefined && format.type !== 'text')
    throw unsupported(`An agent answers in text: the format ${format.type} is not supported.`)
  if (parts.some(({ type }) => type === 'subtask'))
    throw unsupported('An agent starts its own subtasks: they cannot be sent from outside.')
}

function toBlocks(part: PromptPart): Block[] {
  switch (part.type) {
    case 'text':
      return part.ignored === true ? [] : [{ type: 'text', text: part.text }]
    case 'file':
      return [toFileBlock(part)]
    case 'agent':
    case 'subtask':
      return []
  }
}

function toFileBlock({ url, mime, filename }: z.infer<typeof filePart>): Block {
  const data = DATA_URL.exec(url)
  const name = filename ?? url.slice(url.lastIndexOf('/') + 1)
  if (data === null) return { type: 'resource_link', uri: url, name, mimeType: mime }
  const bytes = decode(url.slice(data[0].length), data[2] ?? '')
  if (mime.startsWith('image/')) return { type: 'image', data: bytes.toString('base64'), mimeType: mime }
  if (mime.startsWith('audio/')) return { type: 'audio', data: bytes.toString('base64'), mimeType: mime }
  const uri = `attachment:${encodeURIComponent(filename ?? 'file')}`
  const content = TEXT_MIME.test(mime) ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }
  return { type: 'resource', resource: { uri, mimeType: mime, ...content } }
}

function decode(data: string, parameters: string): Buffer {
  try {
    if (parameters.includes(';base64')) return decodeBase64(data.includes('%') ? decodeURIComponent(data) : data)
    return Buffer.from(decodeURIComponent(data))
  } catch (error) {
    if (error instanceof URIError) throw badRequest('The address of a file has an invalid percent sign.')
    throw error
  }
}

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** Node ignores what is not base64. The agent would get another file than the person sent. */
function decodeBase64(data: string): Buffer {
  const text = data.replaceAll(/\s+/g, '')
  const digits = text.replace(/={1,2}$/, '').length
  if (!BASE64.test(text) || digits % 4 === 1 || (text.length !== digits && text.length % 4 !== 0))
    throw badRequest('The content of a file is not valid base64.')
  return Buffer.from(text, 'base64')
}

/**
 * The blocks that the agent accepts, by its `promptCapabilities`. A text file becomes text where the agent
 * takes no files. Throws `unsupported` for what it does not accept.
 */
export function fitPrompt(blocks: readonly Block[], agent: { title: string; capabilities: unknown }): Block[] {
  const { image, audio, embeddedContext } = asFields(agent.capabilities)
  return blocks.map(block => {
    if (block.type === 'image' && image !== true) throw notAccepted(agent.title, 'images')
    if (block.type === 'audio' && audio !== true) throw notAccepted(agent.title, 'sound')
    if (block.type !== 'resource' || embeddedContext === true) return block
    const { text, uri } = asFields(block['resource'])
    if (typeof text !== 'string') throw notAccepted(agent.title, 'files that are not text')
    return { type: 'text', text: `${nameOf(uri)}:\n${text}` }
  })
}

function nameOf(uri: unknown): string {
  const name = String(uri).slice(String(uri).indexOf(':') + 1)
  try {
    return decodeURIComponent(name)
  } catch (error) {
    if (error instanceof URIError) return name
    throw error
  }
}

function notAccepted(title: string, what: string) {
  return unsupported(`${title} does not accept ${what}.`, 'Send the message without them.')
}
