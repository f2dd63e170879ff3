// The settings of JP: the type of each, how two layers of it are merged, and how a text is parsed for it.
import { asObject } from '../../stores/values.ts'
import { ConfigProblem } from './files.ts'

type Kind = 'truth' | 'number' | 'list' | 'text'

const PROGRESS = ['style.tool_call.progress', 'style.tool_call.preparing', 'style.streaming.progress']
const WAITING = [...PROGRESS, 'style.lock_wait', 'style.mcp_startup']
const PROVIDERS = ['anthropic', 'cerebras', 'deepseek', 'google', 'llamacpp', 'ollama', 'openai', 'openrouter']
const ASSISTANTS = ['assistant', 'conversation.inquiry.assistant']
const INTERRUPTS = ['interrupt.streaming', 'interrupt.tool_call']

const NAMES: Record<Kind, string[]> = {
  truth: [
    ...below(WAITING, 'show'),
    ...['inherit', 'conversation.start_local', 'conversation.title.from_heading', 'conversation.title.generate.auto'],
    ...['plugins.auto_install', 'providers.llm.anthropic.chain_on_max_tokens', 'style.code.color'],
    ...['style.code.line_numbers', 'style.tool_call.show', 'style.markdown.table_continuation_edge'],
    ...['style.reasoning.extend_across_tool_calls'],
  ],
  number: [
    ...below(WAITING, 'delay_secs', 'interval_ms'),
    ...below(below(ASSISTANTS, 'model.parameters'), 'max_tokens', 'top_k', 'temperature', 'top_p'),
    ...below(below(ASSISTANTS, 'request'), 'base_backoff_ms', 'max_backoff_secs', 'max_retries'),
    ...below(below(ASSISTANTS, 'request'), 'stream_idle_timeout_secs'),
    ...['plugins.shutdown_timeout_secs', 'interrupt.escalation_cooldown_secs', 'style.lock_wait.timeout_secs'],
    ...['style.markdown.table_max_column_width', 'style.markdown.wrap_width'],
  ],
  list: [
    ...below(ASSISTANTS, 'instructions', 'system_prompt_sections', 'model.parameters.stop_words'),
    ...['config_load_paths', 'editor.envs', 'conversation.attachments', 'conversation.compaction.rules'],
    ...['providers.llm.anthropic.beta_headers'],
  ],
  text: [
    ...below(ASSISTANTS, 'name', 'system_prompt', 'tool_choice', 'request.cache', 'model.id'),
    ...below(below(ASSISTANTS, 'model.parameters'), 'reasoning', 'service_tier'),
    ...below(
      PROVIDERS.map(name => `providers.llm.${name}`),
      'api_key_env',
      'base_url',
    ),
    ...['providers.llm.openai.base_url_env', 'providers.llm.openrouter.app_name'],
    ...['providers.llm.openrouter.app_referrer', 'conversation.default_id', 'conversation.title.generate.model.id'],
    ...below(INTERRUPTS, 'action', 'compose_in_editor'),
    ...['editor.cmd', 'editor.inline.edit_mode', 'user.name', 'style.code.copy_link', 'style.code.file_link'],
    ...['style.inline_code.background', 'style.markdown.hr_style', 'style.markdown.theme'],
    ...['style.mcp_startup.stderr_rows', 'style.tool_call.progress.stderr_rows'],
    ...['style.reasoning.background', 'style.reasoning.display'],
    ...below(['style.typewriter'], 'code_delay', 'text_delay', 'max_latency'),
  ],
}

function below(sections: readonly string[], ...names: string[]): string[] {
  return sections.flatMap(section => names.map(name => `${section}.${name}`))
}

const KINDS = new Map<string, Kind>([
  ...NAMES.truth.map((name): [string, Kind] => [name, 'truth']),
  ...NAMES.number.map((name): [string, Kind] => [name, 'number']),
  ...NAMES.list.map((name): [string, Kind] => [name, 'list']),
  ...NAMES.text.map((name): [string, Kind] => [name, 'text']),
])

export const FIELD_NAMES: readonly string[] = [...KINDS.keys()]
/** The settings of one tool, or of all tools. */
export const TOOL_FIELDS = [
  ...['source', 'enable', 'command', 'summary', 'description', 'examples', 'run', 'format', 'result'],
  'cancellation_response',
]

/** Returns undefined for an unknown setting. A newer JP has others. */
export function kindOf(path: readonly string[]): Kind | undefined {
  if (isTool(path) && path.length === 4 && TOOL_FIELDS.includes(path[3] ?? '')) return 'text'
  return KINDS.get(path.join('.'))
}

type Merging =
  /** A text that is replaced, or appended to if the new value says so. */
  | 'text'
  /** A list that is appended to, unless the new value says otherwise. */
  | 'list'
  /** Objects are merged name by name. Every other value is replaced. */
  | 'plain'

const LISTS = ['instructions', 'system_prompt_sections', 'stop_words', 'beta_headers', 'config_load_paths']
const LISTS_OF = ['conversation.attachments', 'compaction.rules', 'editor.envs', 'access.fs', 'access.env']

/** Values that belong to a tool, a template or a plugin and are not settings. */
export function isOpaque(path: readonly string[]): boolean {
  return (
    path[0] === 'template' || path[0] === 'plugins' || (isTool(path) && /^(options|parameters)$/.test(path[3] ?? ''))
  )
}

export function mergingOf(path: readonly string[]): Merging {
  if (isOpaque(path)) return 'plain'
  const [holder, name = ''] = path.slice(-2)
  if (name === 'system_prompt') return 'text'
  return LISTS.includes(path.at(-1) ?? '') || LISTS_OF.includes(`${holder}.${name}`) ? 'list' : 'plain'
}

function isTool(path: readonly string[]): boolean {
  return path[0] === 'conversation' && path[1] === 'tools' && path.length > 2
}

const EFFORTS = ['none', 'max', 'xhigh', 'high', 'medium', 'low', 'xlow']

/**
 * Parses a text by the type of the setting. `known` is its current value and gives the type of an unknown
 * setting.
 */
export function typedValue(path: readonly string[], text: string, known: unknown): unknown {
  const name = path.join('.')
  if (name.endsWith('model.parameters.reasoning')) return reasoningOf(text)
  switch (kindOf(path) ?? kindOfValue(known)) {
    case 'truth':
      if (text !== 'true' && text !== 'false')
        throw new ConfigProblem(`${name} is either true or false, and not ${text}`)
      return text === 'true'
    case 'number': {
      const value = guessed(text)
      if (typeof value !== 'number') throw new ConfigProblem(`${name} is a number, and ${text} is not`)
      return value
    }
    case 'list':
      return itemsOf(text)
    case 'text':
      return text
    case undefined:
      // JP passes unknown parameters on as text.
      return /(^|\.)model\.parameters\./.test(name) ? text : guessed(text)
  }
}

function kindOfValue(value: unknown): Kind | undefined {
  if (typeof value === 'boolean') return 'truth'
  if (typeof value === 'number') return 'number'
  if (Array.isArray(value) || Array.isArray(asObject(value)?.['value'])) return 'list'
  return value === undefined ? undefined : 'text'
}

export function guessed(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(text) && Number.isFinite(Number(text)) ? Number(text) : text
}

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}

export function reasoningOf(text: string): unknown {
  if (text === 'off' || text === 'auto') return text
  if (EFFORTS.includes(text)) return { effort: text, exclude: false }
  const tokens = guessed(text)
  if (typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0)
    return { effort: { absolute: tokens }, exclude: false }
  throw new ConfigProblem(`Reasoning is off, auto, ${EFFORTS.join(', ')}, or a number of tokens, and not ${text}`)
}
