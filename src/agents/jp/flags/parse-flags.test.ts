import { describe, expect, test } from 'vitest'
import { BASE, deltaOf, makeStage } from '../../../../test/support/jp/flags-stage.ts'

const MODEL = (id: unknown): object => ({ assistant: { model: { id } } })
const PARAMETERS = (parameters: object): object => ({ assistant: { model: { parameters } } })
const TOOLS = (tools: object): object => ({ conversation: { tools } })
const SWITCHED = (state: boolean): object => ({ enable: { state } })
const EFFORT = (effort: string): object => ({ effort, exclude: false })

describe('flags become overrides', () => {
  test.each([
    ['-m openai/gpt-y', MODEL({ provider: 'openai', name: 'gpt-y' })],
    ['-mgoogle', MODEL({ provider: 'google', name: 'gemini-x' })],
    ['--model=fast', MODEL({ provider: 'google', name: 'gemini-x' })],
    ['-c assistant.model.id=gpt', MODEL({ provider: 'openai', name: 'gpt-x' })],
    ['-r high', PARAMETERS({ reasoning: EFFORT('high') })],
    ['-r 4096', PARAMETERS({ reasoning: { effort: { absolute: 4096 }, exclude: false } })],
    ['-rauto', PARAMETERS({ reasoning: 'auto' })],
    ['-R', PARAMETERS({ reasoning: 'off' })],
    ['-p temperature=0.5 -p x=y', PARAMETERS({ temperature: 0.5, other: { x: 'y' } })],
    ['-p max_tokens=9 -p budget=9', PARAMETERS({ max_tokens: 9, other: { budget: '9' } })],
    ['-p stop_words=a,b -p reasoning=low', PARAMETERS({ stop_words: ['a', 'b'], reasoning: EFFORT('low') })],
    ['-t quiet', TOOLS({ quiet: SWITCHED(true) })],
    ['-t read', {}],
    ['-t write -Tread', TOOLS({ write: SWITCHED(true), read: SWITCHED(false) })],
    ['-T', TOOLS({ read: SWITCHED(false) })],
    ['-T -t=read', TOOLS({ read: SWITCHED(true) })],
    ['--tools', TOOLS({ quiet: SWITCHED(true) })],
    ['-t quiet -u quiet', { assistant: { tool_choice: 'quiet' }, ...TOOLS({ quiet: SWITCHED(true) }) }],
    ['-u describe_tools', { assistant: { tool_choice: 'describe_tools' } }],
    ['-e', {}],
    ['-p other.x=y', PARAMETERS({ other: { other: { x: 'y' } } })],
    ['-p stop_words+=c', PARAMETERS({ stop_words: ['c'] })],
    ['-c style.reasoning.display=7', { style: { reasoning: { display: { truncate: { characters: 7 } } } } }],
    ['-c template.values.a=1', { template: { values: { a: '1' } } }],
    ['-c assistant.system_prompt+=More', { assistant: { system_prompt: 'More' } }],
    [`-c 'assistant.system_prompt:={"value":"x","strategy":"prepend"}'`, { assistant: { system_prompt: 'x' } }],
    ['-c config_load_paths+=x', { config_load_paths: ['.jp/config', 'x'] }],
    ['-c config_load_paths=x', { config_load_paths: ['x'] }],
    ['-u', { assistant: { tool_choice: 'required' } }],
    ['-u read', { assistant: { tool_choice: 'read' } }],
    ['-U', { assistant: { tool_choice: 'none' } }],
    ['--hide-reasoning', { style: { reasoning: { display: 'hidden' } } }],
    ['--hide-tool-calls', { style: { tool_call: { show: false } } }],
    [
      '-a https://example.com/x --attach http://b',
      { conversation: { attachments: ['https://example.com/x', 'http://b'] } },
    ],
  ])('%s', (line, delta) => {
    expect(deltaOf(line)).toEqual(delta)
  })

  test.each([
    ['-c style.code.line_numbers=true', { style: { code: { line_numbers: true } } }],
    ['-c assistant.name=7', { assistant: { name: '7' } }],
    ["-c 'assistant.name=a = b'", { assistant: { name: 'a = b' } }],
    [`-c 'assistant.name:="7"'`, { assistant: { name: '7' } }],
    ['-c assistant.instructions+=a,,b', { assistant: { instructions: [{ title: 'a' }, { title: 'b' }] } }],
    ['-c assistant.instructions=a', { assistant: { instructions: [{ title: 'a' }] } }],
    ['-c conversation.tools.write.enable=on', TOOLS({ write: { enable: { state: true, allow_toggle: 'any' } } })],
    ['-c assistant.model.parameters.reasoning=low', PARAMETERS({ reasoning: EFFORT('low') })],
    ['-c inherit=false', {}],
    [`-c 'assistant.instructions:+=["a"]'`, { assistant: { instructions: [{ title: 'a' }] } }],
    [`-c 'assistant.instructions+:=["a"]'`, { assistant: { instructions: [{ title: 'a' }] } }],
    [`-c '{"user":{"name":"Ann"}}' -c user.name=Bo`, { user: { name: 'Bo' } }],
    ['-c conversation.tools.*.run=skip', { conversation: { tools: { '*': { run: 'skip' } } } }],
  ])('the grammar of -c: %s', (line, delta) => {
    expect(deltaOf(line)).toEqual(delta)
  })

  test('what -c says comes before the flags that are short for it, wherever it stands', () => {
    expect(deltaOf('-m openai/b -c assistant.model.id=openai/a')).toEqual(MODEL({ provider: 'openai', name: 'b' }))
  })

  test('a file is attached by its place in the workspace', () => {
    const stage = makeStage()
    stage.put('shop/src/a.rs', '')
    stage.put('shop/src/b.md', '')
    expect(deltaOf('-a src/a.rs -a !src/b.md', stage)).toEqual({
      conversation: { attachments: ['file:src/a.rs', 'file:src/b.md?exclude=true'] },
    })
  })
})

describe('the line as people type it', () => {
  test.each([
    'jp query -m google/y',
    'jp q -m google/y',
    'query -m google/y',
    'jp -v query -m google/y',
    '/usr/bin/jp q -nm google/y',
    '-nm=google/y',
    '-vvmgoogle/y',
    '-n -l -E -% -s schema -i --fork 3 --replay --tmp 1h --title "My chat" --label a --quote -m google/y',
    '-q -F json -! -P -w /x --width 80 --log-format json --log-file f --log x=y -k -m google/y',
    '-m google/y -- -m openai/y',
  ])('%s', line => {
    expect(deltaOf(line)).toEqual(MODEL({ provider: 'google', name: 'y' }))
  })

  test('the words of the flags are remembered as they were', () => {
    const result = makeStage().parse('jp query -cassistant.name="a b" hello there')
    expect(result).toMatchObject({
      argv: ['-cassistant.name=a b', 'hello', 'there'],
      notes: ['"hello there" is what was asked, and changes no setting.'],
    })
  })

  test('flags that change no setting are taken, and it is said', () => {
    expect(makeStage().parse('-n')).toEqual({
      type: 'delta',
      argv: ['-n'],
      delta: {},
      notes: ['None of this changes a setting.'],
    })
  })
})

describe('a wrong flag is explained', () => {
  test.each([
    ['--modle x', /unknown option '--modle'.*--model/],
    ['-Z', /unknown option '-Z'/],
    ['-m', /argument missing/],
    ['-m -n', /--model needs a value, and -n is a flag/],
    ['-m nosuch', /neither provider\/name nor an alias.*google, fast, gpt/],
    ['-r much', /Reasoning is off, auto/],
    ['-t nosuch', /There is no tool nosuch.*read, quiet, write/],
    ['-T describe', /cannot be switched off/],
    ['-t fixed', /cannot be switched on/],
    ['-T describe_tools', /cannot be switched off/],
    ['-u nosuch', /There is no tool nosuch/],
    ['-u fixed', /switched off/],
    ['-u quiet', /switched off\. Switch it on as well: -t quiet/],
    ['-a "docs/*.md"', /There is no docs/],
    ['-e=vim', /unknown option/],
    ['-p temperature:=1', /a number with a point/],
    ['-c style.markdown.wrap_width:=50', /a text, without the colon/],
    ['-c editor.envs=A,B', /only adds to editor\.envs.*-c editor\.envs\+=/],
    ["-c 'assistant.name:=null'", /cannot be kept/],
    ['-c conversation.tools.mine.run=ask', /conversation\.tools\.mine\.source is missing/],
    [`-c 'conversation.attachments:=[{"type":"file","path":"a"}]'`, /a list of URLs/],
    ['--mount docs', /is not of the form/],
    ['--mount docs=nosuch', /There is no nosuch/],
    ['--mount docs=.', /is in the workspace/],
    ['--mount ../docs=/', /not in the workspace/],
    ['--mount .jp/docs=/', /in the storage of JP/],
    ['--mount docs=/:rw', /name the tool before it/],
    ['--mount nosuch:docs=/', /There is no tool nosuch/],
    ['--mount read:docs=/', /only for local tools/],
    ['-c nosuch', /There is no configuration "nosuch"/],
    ['-c nosuch.key=1', /There is no setting nosuch\.key/],
    ['-c style.code.line_numbers=yes', /either true or false/],
    ['-c assistant.name+=x', /not a list/],
    ['-c assistant.instructions.0=x', /one element of a list/],
    ['-c assistant.__proto__.x=1', /not the name of a setting/],
    ["-c 'assistant.name:={'", /is not JSON/],
    ['-c =x', /has no key/],
    ['-a nosuch.md', /There is no nosuch\.md/],
    ['-a ../secret', /not in the workspace/],
    ['hello world', /There is no flag in this/],
    ['jp conversation ls', /Only the flags of jp query/],
    ['-c "dev', /not closed/],
  ])('%s', (line, text) => {
    expect(makeStage().parse(line)).toEqual({ type: 'wrong', text: expect.stringMatching(text) })
  })
})

test('where the config of the conversation cannot be read, a tool is taken by its name', () => {
  const stage = makeStage(null)
  expect(stage.parse('-t read')).toMatchObject({
    delta: TOOLS({ read: SWITCHED(true) }),
    notes: [expect.stringContaining('could not be checked')],
  })
  expect(stage.parse('-t')).toMatchObject({ type: 'wrong', text: expect.stringContaining('Name each of them') })
})

test('a list that is given whole replaces the one that is there, and one that is added to keeps it', () => {
  const stage = makeStage({ ...BASE, conversation: { attachments: ['x:a', 'x:b'] } })
  expect(deltaOf('-c conversation.attachments=x:c', stage)).toEqual({
    conversation: { attachments: { value: ['x:c'], strategy: 'replace' } },
  })
  expect(deltaOf('-c conversation.attachments+=x:b,x:c', stage)).toEqual({ conversation: { attachments: ['x:c'] } })
})

test('--mount gives the local tools that are on a rule beside the workspace itself', () => {
  const tools = { local: { source: 'local' }, off: { source: 'local', enable: false }, own: { source: 'builtin' } }
  const stage = makeStage({ ...BASE, conversation: { tools: { '*': { run: 'ask' }, ...tools } } })
  const rules = (write: boolean) => [
    { path: '.', read: true, write: true },
    { path: 'docs', external: true, read: true, write },
  ]
  const wanted = (write: boolean) => TOOLS({ local: { access: { fs: rules(write) } } })
  expect(stage.parse('--mount docs=/')).toMatchObject({
    delta: wanted(false),
    notes: [expect.stringContaining('link')],
  })
  expect(deltaOf('--mount local:docs=/:rw', stage)).toEqual(wanted(true))
})

test.each([
  '-m vllm/x',
  '-c assistant.name:=7',
  '-c conversation.attachments+=notes',
  '-c assistant.request.max_response_bytes=off',
])('%s is refused, because JP would ignore all flags with it', line => {
  expect(makeStage().parse(line)).toMatchObject({ type: 'wrong' })
})
