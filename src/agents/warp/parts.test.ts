// A conversation that is read in parts gives what it gives when it is read in one. The suite of all stores that read in
// parts is beside the printing.
import { expect, test } from 'vitest'
import { comparePartsOf, planParts, readInParts, TOO_SHORT } from '../../../test/support/parts.ts'
import {
  addConversation,
  addQuery,
  addTask,
  type Fill,
  output,
  query,
  readWarp,
  task,
} from '../../../test/support/warp/store.ts'
import { warp } from './index.ts'
import { parts } from './parts.ts'

async function compare(fill: Fill) {
  const { session } = await readWarp(fill)
  const [store] = warp.stores
  if (store === undefined) throw new Error('Warp has no store.')
  return { session, outcome: await comparePartsOf(store, session, TOO_SHORT) }
}

const long = (id: string, second: number) => output(id, second, `${id} ${'x'.repeat(300)}`)

test('tasks that go on in later parts are opened once, and facts come from all parts', async () => {
  const { session, outcome } = await compare(database => {
    addConversation(database)
    const search = [long('s1', 2), long('s2', 4), long('s3', 6)]
    const root = [long('r1', 1), query('r2', 3, 'The first prompt'), long('r3', 5), query('r4', 9, 'The second')]
    addTask(database, 'search', task('search', { parent: 'root', description: 'Search', messages: search }))
    addTask(database, 'root', task('root', { messages: root }))
    addTask(database, 'broken', Buffer.concat([task('broken', { messages: [long('b1', 7)] }), Buffer.from([0xff])]))
  })
  expect(planParts(parts, session, TOO_SHORT)?.parts.length).toBeGreaterThan(5)
  expect(outcome?.messages.filter(text => text.includes('Sub-task'))).toHaveLength(1)
  expect(outcome).toMatchObject({
    again: 0,
    end: { facts: { title: 'The first prompt' }, counts: { records: 8 }, findings: [{ damage: 'undecodable-task' }] },
  })
})

test('an id that is used twice has the rest read in one', async () => {
  const { outcome } = await compare(database =>
    addTask(database, 'root', task('root', { messages: [long('a', 1), long('b', 2), long('a', 3), long('c', 4)] })),
  )
  expect(outcome).toMatchObject({ end: undefined })
  expect(outcome?.messages).toHaveLength(2)
})

test('a conversation without tasks is read in one', async () => {
  const { session } = await readWarp(database => addQuery(database, '2026-11-01 10:00:00', '[]'))
  expect(readInParts(parts, session, TOO_SHORT)).toBeUndefined()
})
