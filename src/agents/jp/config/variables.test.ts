import { expect, test } from 'vitest'
import { environmentOf } from '../../../../test/support/home.ts'
import { readVariables } from './workspace-config.ts'

function read(variables: Record<string, string>): ReturnType<typeof readVariables> {
  return readVariables(environmentOf('/home/dev', variables))
}

test.each([
  ['JP_CFG_ASSISTANT_MODEL_ID', 'openai/x', { assistant: { model: { id: { provider: 'openai', name: 'x' } } } }],
  ['JP_CFG_ASSISTANT_MODEL_PARAMETERS_MAX_TOKENS', '9', { assistant: { model: { parameters: { max_tokens: 9 } } } }],
  ['JP_CFG_ASSISTANT_MODEL_PARAMETERS_BUDGET', '9', { assistant: { model: { parameters: { budget: '9' } } } }],
  [
    'JP_CFG_ASSISTANT_MODEL_PARAMETERS_REASONING',
    'high',
    { assistant: { model: { parameters: { reasoning: { effort: 'high', exclude: false } } } } },
  ],
  ['JP_CFG_STYLE_TOOL_CALL_SHOW', 'false', { style: { tool_call: { show: false } } }],
  ['JP_CFG_STYLE_CODE_LINE_NUMBERS', ':true', { style: { code: { line_numbers: true } } }],
  ['JP_CFG_EDITOR_ENVS', '+A, B,', { editor: { envs: ['A', 'B'] } }],
  ['JP_CFG_EDITOR_ENVS', ':["A"]', { editor: { envs: ['A'] } }],
  ['JP_CFG_USER_NAME', '\\:Ann', { user: { name: ':Ann' } }],
  ['JP_CFG_USER_NAME', '7', { user: { name: '7' } }],
  ['JP_CFG_CONVERSATION_TOOLS_read_RUN', 'skip', { conversation: { tools: { read: { run: 'skip' } } } }],
  ['JP_CFG_CONVERSATION_TOOLS_*_RUN', 'ask', { conversation: { tools: { '*': { run: 'ask' } } } }],
  ['JP_CFG_TEMPLATE_VALUES_A', 'x', { template: { values: { a: 'x' } } }],
])('%s=%s', (name, value, config) => {
  expect(read({ [name]: value, JP_EDITOR: 'vi', PATH: '/bin' })).toEqual({ config, notes: [] })
})

test.each([
  ['JP_CFG_NOSUCH_THING', 'x', /does not name a known setting/],
  ['JP_CFG_STYLE_TOOL_CALL_SHOW', 'maybe', /either true or false/],
  ['JP_CFG_STYLE_MARKDOWN_WRAP_WIDTH', 'wide', /is a number/],
  ['JP_CFG_EDITOR_ENVS', ':[', /is not JSON/],
])('%s=%s is reported and not used', (name, value, text) => {
  const { config, notes } = read({ [name]: value })
  expect(config).toEqual({})
  expect(notes).toEqual([expect.stringMatching(new RegExp(`^The variable ${name} is not taken: .*${text.source}`))])
})
