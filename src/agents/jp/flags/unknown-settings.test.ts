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
    ['-c providers.llm.openai.anything=x', 'There is no setting providers.llm.openai.anything.'],
    ['-c style.tool_call.progress.stderr_rows=auto', 'There is no setting'],
    ['-c conversation.tools.read.parameters.path.type=string', 'from files alone'],
    ['-c conversation.tools.read.questions.sure.target=user', 'from files alone'],
    ['-c extends+=x.toml', 'from files alone'],
    ['-c assistant.system_prompt.value=x', 'give the text whole'],
    ['-c style.bogus:=null', 'There is no setting style.bogus.'],
    [`-c 'style:={"code":{"bogus":1}}'`, 'There is no setting style.code.bogus.'],
    [`-c '{"style":{"bogus":{}}}'`, 'There is no setting style.bogus.'],
  ])('%s', (line, text) => {
    expect(makeStage().parse(line)).toEqual({ type: 'wrong', text: expect.stringContaining(text) })
  })
})

describe('a setting that JP has, and any name that is a person’s own, is taken', () => {
  test.each([
    '-c conversation.tools.read.options.depth=3',
    '-c conversation.tools.read.style.error.inline_results=off',
    '-c conversation.tools.*.style.hidden=true',
    '-c conversation.tools.quiet.enable.state=true',
    `-c 'conversation.tools:+={"mine":{"source":"local"}}'`,
    '-c conversation.labels.team=web',
    '-c providers.llm.aliases.mine=openai/x',
    '-c plugins.command.mine.run=ask',
    '-c template.values.mine.deep=1',
    '-c assistant.model.parameters.anything=1',
    '-c assistant.request.max_response_bytes=9',
    '-c style.reasoning.summary_model.id=openai/x',
    '-c editor.inline.edit_mode=vi',
    '-c interrupt.tool_call.action=stop',
  ])('%s', line => {
    expect(makeStage().parse(line)).toMatchObject({ type: 'delta' })
  })
})

test('what a newer JP has written into the conversation itself is known to it', () => {
  const stage = makeStage({ ...BASE, style: { newer: { a: 1 } } })
  expect(stage.parse('-c style.newer.b=2')).toMatchObject({ delta: { style: { newer: { b: 2 } } } })
  expect(stage.parse('-c style.newest=2')).toMatchObject({ type: 'wrong' })
})
