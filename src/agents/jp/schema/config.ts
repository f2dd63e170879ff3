// The shape of a config: of base_config.json and of each config_delta.
import * as format from './formats.ts'
import type { Shape, Struct } from './shape.ts'
import {
  ANY,
  buffered,
  choice,
  choiceWith,
  DECIMAL,
  either,
  FLAG,
  I32,
  I64,
  list,
  map,
  optional,
  section,
  struct,
  TEXT,
  table,
  U8,
  U16,
  U32,
  U64,
  values,
  word,
} from './shape.ts'

/** The key of the settings for all tools without settings of their own. */
export const ALL_TOOLS = '*'

const STRATEGY = choice('append', 'prepend', 'replace')
const DEDUP = optional(either(FLAG, word('inherit', 'true', 'false')))

/** A list, or a list with the way in which it is merged. */
function mergeable(of: Shape): Shape {
  const merged = table({ value: list(of), strategy: optional(STRATEGY), dedup: DEDUP, discard_when_merged: FLAG })
  return either(list(of), merged)
}

const MERGED_TEXT: Struct = {
  ...section(
    values({
      value: TEXT,
      strategy: STRATEGY,
      separator: choice('none', 'space', 'line', 'paragraph'),
      discard_when_merged: FLAG,
    }),
  ),
  takesList: false,
}

/** A map, or a map with the way in which it is merged. */
function mergeableMap(of: Shape): Shape {
  const strategy = optional(choice('deep_merge', 'merge', 'keep', 'replace'))
  const merged = table({ value: map(of), strategy, discard_when_merged: FLAG })
  return either({ ...merged, needed: ['value', 'strategy'] }, map(of))
}

const PROVIDER = choice(...format.PROVIDERS)
const MODEL_ID = either(
  { ...table({ provider: PROVIDER, name: format.NAME }), required: ['provider', 'name'] },
  format.MODEL,
)

const EFFORT = choiceWith(['none', 'auto', 'max', 'xhigh', 'high', 'medium', 'low', 'xlow'], { absolute: U32 })
const REASONING = either(word('off', 'auto'), section(values({ effort: EFFORT, exclude: FLAG })))

const PARAMETERS: Struct = {
  ...section({
    ...values({ max_tokens: U32, reasoning: REASONING, temperature: DECIMAL, top_p: DECIMAL, top_k: U32 }),
    ...values({ stop_words: list(TEXT), other: map(ANY) }),
  }),
  others: 'ignored',
}
export const PARAMETER_NAMES: readonly string[] = Object.keys(PARAMETERS.fields)
const MODEL: Struct = { ...section({ id: MODEL_ID, parameters: PARAMETERS }, ['id']), others: 'ignored' }

const CONTRAST = section(values({ good: TEXT, bad: TEXT, reason: TEXT }))
const INSTRUCTIONS = section({
  ...values({ title: TEXT, description: TEXT, position: I64, items: list(TEXT) }),
  examples: list(buffered(TEXT, CONTRAST)),
})
const PROMPT_SECTION = section(values({ content: TEXT, tag: TEXT, title: TEXT, position: I32 }))
/** Any other name is that of a tool. */
const TOOL_CHOICE = either(TEXT, choice('auto', 'none', 'required'))
const REQUEST = section(
  values({
    max_retries: U32,
    base_backoff_ms: U32,
    max_backoff_secs: U32,
    stream_idle_timeout_secs: U32,
    max_response_bytes: U32,
    cache: either(FLAG, format.CACHE),
  }),
)

const ASSISTANT = section({
  name: optional(TEXT),
  system_prompt: optional(either(TEXT, MERGED_TEXT)),
  system_prompt_sections: mergeable(PROMPT_SECTION),
  instructions: mergeable(INSTRUCTIONS),
  tool_choice: optional(TOOL_CHOICE),
  model: MODEL,
  request: REQUEST,
})

const COMMAND_FIELDS = { program: TEXT, args: list(TEXT), shell: FLAG }
const COMMAND = buffered(TEXT, section(values(COMMAND_FIELDS)))
const LINK = either(FLAG, word('off', 'full', 'osc8'))
const INLINE_RESULTS = either(
  FLAG,
  format.LINES,
  U64,
  choiceWith(['off', 'full'], { truncate: struct({ lines: U64 }, ['lines']) }),
)
const DISPLAY = section({
  ...values({ hidden: FLAG, inline_results: INLINE_RESULTS, results_file_link: LINK }),
  parameters: optional(either(TEXT, struct(COMMAND_FIELDS, ['program', 'args', 'shell']))),
  error: section(values({ inline_results: INLINE_RESULTS, results_file_link: LINK })),
})

const ENABLE = either(
  FLAG,
  word('true', 'false', 'on', 'off', 'always', 'explicit'),
  table({ state: FLAG, allow_toggle: choice('any', 'never', 'if_named', 'if_named_or_group') }, 'refused'),
)
const RUN = choice('ask', 'unattended', 'edit', 'skip')
const FORMAT = choice('ask', 'unattended')

const TOOL_PARAMETER: Struct = section({
  type: buffered(TEXT, list(TEXT)),
  ...values({ default: ANY, required: FLAG, summary: TEXT, description: TEXT, examples: TEXT, enum: list(ANY) }),
  items: optional({ type: 'lazy', of: () => TOOL_PARAMETER }),
  properties: map({ type: 'lazy', of: () => TOOL_PARAMETER }),
})
const QUESTION_TARGET = either(word('user', 'assistant'), { ...ASSISTANT, takesList: false, isOpen: true })
const FS_RULE = section(
  values({
    path: TEXT,
    external: FLAG,
    read: FLAG,
    write: FLAG,
    create: FLAG,
    update: FLAG,
    delete: FLAG,
    execute: FLAG,
  }),
  ['path'],
)

const TOOL = section(
  {
    ...values({ source: format.TOOL_SOURCE, enable: ENABLE, command: COMMAND, summary: TEXT, description: TEXT }),
    examples: optional(TEXT),
    parameters: map(TOOL_PARAMETER),
    ...values({ run: RUN, format: FORMAT, result: RUN, cancellation_response: TEXT, style: DISPLAY }),
    questions: map(section(values({ target: QUESTION_TARGET, answer: ANY }))),
    options: map(ANY),
    access: optional(section({ fs: mergeable(FS_RULE) })),
  },
  ['source'],
)
const TOOL_DEFAULTS = section(
  {
    ...values({ enable: ENABLE, run: RUN, format: FORMAT, result: RUN, cancellation_response: TEXT }),
    style: DISPLAY,
  },
  ['run'],
)
const TOOLS: Struct = { ...section({ [ALL_TOOLS]: TOOL_DEFAULTS }), others: TOOL, takesList: false }

const RULE = section({
  ...values({ keep_first: either(U64, format.BOUND), keep_last: either(U64, format.BOUND) }),
  reasoning: optional(choice('strip')),
  tool_calls: optional(
    word(
      ...['strip', 's', 'strip-responses', 'strip_responses', 'sres', 'strip-requests', 'strip_requests', 'sreq'],
      ...['omit', 'o'],
    ),
  ),
  summary: optional(section(values({ model: MODEL, instructions: TEXT, context: TEXT }))),
})
const ATTACHMENT = buffered(
  format.URL_TEXT,
  section(values({ type: TEXT, path: TEXT, params: map(ANY) }), ['type', 'path']),
)
const LABEL = buffered(
  TEXT,
  section({
    value: buffered(TEXT, section({ cmd: COMMAND })),
    apply_on: section(values({ new: FLAG, fork: FLAG })),
    run: optional(choice('ask', 'unattended', 'deny')),
  }),
)

const CONVERSATION = section({
  title: section({
    generate: section(values({ auto: FLAG, model: MODEL })),
    from_heading: optional(FLAG),
  }),
  tools: TOOLS,
  compaction: section({ rules: mergeable(RULE) }),
  attachments: mergeable(ATTACHMENT),
  labels: mergeableMap(LABEL),
  inquiry: section({
    assistant: section({
      system_prompt: optional(TEXT),
      system_prompt_sections: list(PROMPT_SECTION),
      ...values({ tool_choice: TOOL_CHOICE, model: MODEL, request: REQUEST }),
    }),
  }),
  ...values({ start_local: FLAG, default_id: TEXT }),
})

const COLOR = either(U8, format.COLOR)
const PROGRESS = section(values({ show: FLAG, delay_secs: U32, interval_ms: U32 }))
const DISPLAY_OF_REASONING = choiceWith(['hidden', 'summary', 'static', 'progress', 'timer', 'full'], {
  truncate: struct({ characters: U64 }, ['characters']),
})
/** Earlier versions wrote `{secs, nanos}`, and JP still reads it. */
const DELAY = either(format.DURATION, table({ secs: U64, nanos: U32 }))

const STYLE = section({
  code: section(values({ color: FLAG, line_numbers: FLAG, file_link: LINK, copy_link: LINK })),
  inline_code: section(values({ background: COLOR })),
  markdown: section(
    values({
      wrap_width: U64,
      table_max_column_width: U64,
      table_continuation_edge: FLAG,
      theme: TEXT,
      hr_style: choice('markdown', 'line'),
    }),
  ),
  mcp_startup: PROGRESS,
  reasoning: section(
    values({ display: DISPLAY_OF_REASONING, summary_model: MODEL, background: COLOR, extend_across_tool_calls: FLAG }),
  ),
  streaming: section({ progress: PROGRESS }),
  lock_wait: section(values({ show: FLAG, delay_secs: U32, interval_ms: U32, timeout_secs: U32 })),
  tool_call: section({ show: optional(FLAG), progress: PROGRESS, preparing: PROGRESS }),
  typewriter: section(values({ text_delay: DELAY, code_delay: DELAY, max_latency: DELAY })),
})

const COMPOSE = either(FLAG, word('true', 'false', 'always', 'never'))
function interrupt(...actions: string[]): Struct {
  return section(values({ action: choice(...actions), compose_in_editor: COMPOSE }))
}

const CHECKSUM = section(values({ algorithm: choice('sha256', 'sha1'), value: TEXT }))
const SERVER: Shape = {
  type: 'tagged',
  tag: 'type',
  variants: {
    stdio: section({
      ...values({ command: TEXT, arguments: list(TEXT), variables: list(TEXT), checksum: CHECKSUM }),
      ...values({ optional: FLAG, startup_timeout_secs: U32 }),
    }),
  },
}
const ENDPOINT = { api_key_env: TEXT, base_url: TEXT }
const PROVIDERS = section({
  llm: section({
    aliases: map(MODEL_ID),
    anthropic: section(values({ ...ENDPOINT, chain_on_max_tokens: FLAG, beta_headers: list(TEXT) })),
    cerebras: section(values(ENDPOINT)),
    deepseek: section(values(ENDPOINT)),
    google: section(values(ENDPOINT)),
    llamacpp: section(values({ base_url: TEXT })),
    ollama: section(values({ base_url: TEXT })),
    openai: section(values({ ...ENDPOINT, base_url_env: TEXT })),
    openrouter: section(values({ api_key_env: TEXT, app_name: TEXT, app_referrer: TEXT, base_url: TEXT })),
  }),
  mcp: map(SERVER),
})

const EXTENDED = either(TEXT, struct({ path: TEXT, strategy: choice('before', 'after') }, ['path', 'strategy']))

export const CONFIG_SHAPE: Struct = section({
  ...values({ inherit: FLAG, config_load_paths: list(TEXT), extends: list(EXTENDED) }),
  assistant: ASSISTANT,
  conversation: CONVERSATION,
  style: STYLE,
  interrupt: section({
    escalation_cooldown_secs: optional(U32),
    streaming: interrupt('prompt', 'continue', 'stop', 'abort', 'reply'),
    tool_call: interrupt('prompt', 'continue', 'restart', 'respond', 'stop'),
  }),
  editor: section({
    ...values({ cmd: COMMAND, envs: list(TEXT) }),
    inline: section(values({ edit_mode: choice('emacs', 'vi') })),
  }),
  template: section({ values: map(ANY) }),
  providers: PROVIDERS,
  plugins: section({
    ...values({ auto_install: FLAG, shutdown_timeout_secs: U16 }),
    command: map(
      section(values({ install: FLAG, run: choice('ask', 'unattended', 'deny'), checksum: CHECKSUM, options: ANY })),
    ),
  }),
  user: section(values({ name: TEXT })),
})
