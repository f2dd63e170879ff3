// The content of messages and tool outputs as parts, and the text that Codex adds itself.
import { withImage } from '../../../model/image.ts'
import type { Part } from '../../../model/message.ts'
import { type KnownFields, knownFields, unfamiliarParts } from '../../stores/unfamiliar.ts'
import type { Json } from '../../stores/values.ts'
import { asArray, asObject, asOutput, asString, asText } from '../../stores/values.ts'

/** Blocks of context that Codex sends in the name of the person. */
const INJECTED = [
  'apps_instructions',
  'collaboration_mode',
  'environment_context',
  'hook_prompt',
  'permissions instructions',
  'plugins',
  'plugins_instructions',
  'recommended_plugins',
  'skill',
  'skills_instructions',
  'subagent_notification',
  'subagents',
  'turn_aborted',
  'user_instructions',
  'user_shell_command',
]
const OPENING = new RegExp(`^<(${INJECTED.join('|')})(?:\\s[^>]*)?>`, 'i')
const AGENTS_FILE = '# AGENTS.md instructions for '
const AGENTS_FILE_END = '</INSTRUCTIONS>'

/** Whether a text holds only such blocks. */
export function isInjected(text: string): boolean {
  let rest = text.trim()
  if (rest === '') return false
  while (rest !== '') {
    const end = endOfInjected(rest)
    if (end === undefined) return false
    rest = rest.slice(end).trimStart()
  }
  return true
}

function endOfInjected(text: string): number | undefined {
  if (text.startsWith(AGENTS_FILE)) {
    // An AGENTS.md can itself quote the closing tag. Old versions wrote no tags around it.
    const end = text.lastIndexOf(AGENTS_FILE_END)
    return end === -1 ? text.length : end + AGENTS_FILE_END.length
  }
  const tag = OPENING.exec(text)?.[1]
  if (tag === undefined) return undefined
  const closing = `</${tag}>`
  const end = text.indexOf(closing)
  return end === -1 ? undefined : end + closing.length
}

export function contentParts(content: unknown, recordType: string): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  const items = asArray(content)
  if (items === undefined)
    return content === undefined || content === null ? [] : [{ type: 'unknown', recordType, value: content }]
  return items.flatMap(item => {
    const entry = asObject(item)
    const known = CONTENT[asString(entry?.['type']) ?? '']
    const part = contentPart(entry, item)
    return known === undefined ? [part] : [part, ...unfamiliarParts(entry, known, recordType)]
  })
}

const TEXT = knownFields(['text'], 'type', 'annotations', 'logprobs', 'text_elements')
const CONTENT: Readonly<Record<string, KnownFields>> = {
  input_text: TEXT,
  output_text: TEXT,
  text: TEXT,
  Text: TEXT,
  refusal: knownFields(['refusal'], 'type'),
}

function contentPart(item: Json | undefined, raw: unknown): Part {
  switch (item?.['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'Text':
      return { type: 'text', text: asOutput(item['text']) }
    case 'refusal':
      return { type: 'text', text: asOutput(item['refusal']) }
    case 'encrypted_content':
      return { type: 'notice', text: 'Encrypted: only the agent can read this.' }
    case 'input_image':
    case 'image':
      return filePart(null, asText(item['image_url']))
    case 'local_image':
      return { type: 'file', name: null, mime: null, source: 'path', reference: asText(item['path']) ?? null }
    case 'input_file':
      return filePart(asText(item['filename']) ?? null, asText(item['file_url']) ?? asText(item['file_data']))
    case 'input_audio':
      return filePart(null, asText(item['audio_url']))
    default:
      return { type: 'unknown', recordType: asString(item?.['type']) ?? '(none)', value: raw }
  }
}

/** Of the files in `data:` URLs, only pictures are shown. For others only the type is given. */
function filePart(name: string | null, address: string | undefined): Part {
  const isLink = address !== undefined && /^[a-z][a-z\d+.-]*:\/\//i.test(address)
  const mime = address === undefined ? undefined : /^data:([\w.+-]+\/[\w.+-]+)/.exec(address.slice(0, 200))?.[1]
  const part = { type: 'file' as const, name, mime: mime ?? null }
  if (isLink) return { ...part, source: 'url', reference: address }
  return withImage({ ...part, source: 'inline', reference: null }, address)
}

/** The output of a tool: a text, content items, or in old files an object that holds either. */
export function resultParts(id: string, output: unknown): Part[] {
  const wrapped = asObject(output)
  const content = wrapped !== undefined && 'content' in wrapped ? wrapped['content'] : output
  const isError = wrapped?.['success'] === false || failedCommand(output)
  const isContent = asArray(content)?.some(item => typeof asObject(item)?.['type'] === 'string') ?? false
  if (!isContent) return [{ type: 'tool-result', id, output: asOutput(content), isError }]
  const parts = contentParts(content, 'output')
  const texts = parts.flatMap(part => (part.type === 'text' ? [part.text] : []))
  return [{ type: 'tool-result', id, output: texts.join('\n'), isError }, ...parts.filter(part => part.type !== 'text')]
}

/** Old shell outputs are JSON with the exit status. */
function failedCommand(output: unknown): boolean {
  if (typeof output !== 'string' || !output.startsWith('{"output":')) return false
  const status = /"metadata":\{"exit_code":(-?\d+)/.exec(output.slice(-300))?.[1]
  return status !== undefined && Number(status) !== 0
}

export function asNotice(part: Part): Part {
  return part.type === 'text' ? { type: 'notice', text: part.text } : part
}
