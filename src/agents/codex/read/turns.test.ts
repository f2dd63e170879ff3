import { appendFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { answer, event, fixture, meta, open, readText, spoken, user } from '../../../../test/support/codex/sessions.ts'
import { lines } from '../../../../test/support/home.ts'

test('rolled back turns are not in the conversation; they are branches', async () => {
  const { messages, end } = await readText(fixture('rolled-back.jsonl'))
  expect(spoken(messages)).toEqual(['One', 'Answer one', 'The last 2 turns were undone here.', 'Five'])
  expect(end.branches.map(({ id: _, ...rest }) => rest)).toEqual([
    { kind: 'abandoned', messages: 4, title: 'Two' },
    { kind: 'abandoned', messages: 2, title: 'Three' },
  ])
  expect(end.counts.records).toBe(12)
})

test('a branch is the conversation before the turns were rolled back', async () => {
  const { read, session } = await open(fixture('rolled-back.jsonl'))
  const [later, earlier] = (await read()).end.branches
  expect(spoken((await read({ branch: earlier?.id })).messages)).toEqual([
    'One',
    'Answer one',
    'Two',
    'Answer two',
    'Three',
    'Answer three',
  ])
  expect(spoken((await read({ branch: later?.id })).messages)).toEqual([
    'One',
    'Answer one',
    'Two',
    'Answer two',
    'The last turn was undone here.',
    'Four',
    'Answer four',
  ])
  await expect(read({ branch: 'rollback@7' })).rejects.toMatchObject({ code: 'usage', path: session.filePath })
})

test('a rollback that comes later makes the session be read again', async () => {
  const { file, read } = await open(lines(meta(), user('One'), answer('Answer one')))
  const first = await read()
  appendFileSync(file, lines(event({ type: 'thread_rolled_back', num_turns: 5 })))
  const { messages, end } = await read({ after: first.end.checkpoint })
  expect(end.continued).toBe(false)
  expect(spoken(messages)).toEqual(['The last 5 turns were undone here.'])
  expect(end.facts.title).toBe('One')
  appendFileSync(file, lines(user('Two')))
  const grown = await read({ after: end.checkpoint })
  expect(grown.end).toMatchObject({ continued: true, branches: [{ messages: 2 }], facts: { title: 'Two' } })
})
