// What JP does not have is refused as JP refuses it; names that are a person's own are not.
import { describe, expect, test } from 'vitest'
import { BASE, makeStage } from '../../../../test/support/jp/flags-stage.ts'

describe('a setting that JP does not have is refused', () => {
  test.each([
    ['-c style.bogus=1', 'There is no setting style.bogus. The settings in style are: code, inline_code, lock_wait'],
    ['-c style.cdoe.color=true', 'There is no setting style.cdoe.color. Did you mean style.code.color?'],
    ['-c style.code.line_number=true', 'Did you mean style.code.line_numbers?'],
    ['-c stlye.code.color=true', 'Did you mean style.code.color?'],
    ['-c style.cod.bogus=1', 'Did you mean style.code?'],
    ['-c style.code.color.bogus=1', 'style.code.color is a value, with nothing below it'],
    ['-c assistant.modell.id=openai/x', 'Did you mean assistant.model.id?'],
    ['-c conversation.title.generate.atuo=false', 'Did you mean conversation.title.generate.auto?'],
    ['-c conversation.inquiry.assistant.request.max_retry=1', 'Did you mean'],
    ['-c conversation.tools.read.runn=ask', 'Did you mean conversation.tools.read.run?'],
    ['-c conversation.tools.*.source=local', 'There is no setting conversation.tools.*.source.'],
    ['-c providers.bogus=1', 'The settings in providers are: llm, mcp'],
    ['-c user.nmae+=x', 'Did you mean user.name?'],
    ['-c style.bogus:=null', 'There is no setting style.bogus.'],
    [`-c 'style:={"code":{"bogus":1}}'`, 'There is no setting style.code.bogus.'],
    [`-c '{"style":{"bogus":{}}}'`, 'There is no setting style.bogus.'],
  ])('%s', (line, text) => {
    expect(makeStage().parse(line)).toEqual({ type: 'wrong', text: expect.stringContaining(text) })
  })
})

describe('a setting that JP has, and any name that is a person’s own, is taken', () => {
  test.each([
    '-c conversation.tools.mine.options.depth=3',
    '-c conversation.tools.mine.parameters.path.type=string',
    '-c conversation.tools.mine.questions.sure.target=user',
    '-c conversation.tools.mine.style.error.inline_results=off',
    '-c conversation.tools.*.style.hidden=true',
    '-c conversation.tools.quiet.enable.state=true',
    `-c 'conversation.tools:+={"value":{"mine":{"source":"local"}},"strategy":"merge"}'`,
    '-c conversation.labels.team=web',
    '-c conversation.title.generate.model.parameters.anything=1',
    '-c providers.llm.aliases.mine=openai/x',
    '-c providers.llm.openai.anything=x',
    `-c 'providers.mcp.mine:={"type":"stdio","command":"x"}'`,
    '-c plugins.command.mine.run=ask',
    '-c template.values.mine.deep=1',
    '-c assistant.model.parameters.anything=1',
    '-c assistant.request.max_response_bytes=9',
    '-c assistant.system_prompt.value=x',
    '-c style.tool_call.progress.stderr_rows=auto',
    '-c style.reasoning.summary_model.id=openai/x',
    '-c editor.inline.edit_mode=vi',
    '-c interrupt.tool_call.action=stop',
    '-c extends+=x.toml',
  ])('%s', line => {
    expect(makeStage().parse(line)).toMatchObject({ type: 'delta' })
  })
})

test('what a newer JP has written into the conversation itself is known to it', () => {
  const stage = makeStage({ ...BASE, style: { newer: { a: 1 } } })
  expect(stage.parse('-c style.newer.b=2')).toMatchObject({ delta: { style: { newer: { b: 2 } } } })
  expect(stage.parse('-c style.newest=2')).toMatchObject({ type: 'wrong' })
})
