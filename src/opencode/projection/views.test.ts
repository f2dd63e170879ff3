// Views are built from the journal, follow its events, and are dropped: no event is lost, and none counts
// twice.
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryHome } from '../../../test/support/home.ts'
import { answered, chunk, permission, prompt, SETTLED } from '../../../test/support/journal/conversation-samples.ts'
import { everythingIn, projectEvents, SESSION } from '../../../test/support/opencode/projection-samples.ts'
import { openJournal } from '../../journal/store/open.ts'
import type { Envelope, JournalEvent, JournalStore } from '../../journal/store/store.ts'
import { hasErrorCode } from '../../model/errors.ts'
import type { OpenCodeEvent } from '../shapes/event.ts'
import { Views } from './views.ts'

const TURN = [prompt(1, 'Hello'), chunk('Good '), chunk('day.'), answered(1)]

async function openStore(): Promise<JournalStore> {
  const store = await openJournal(join(temporaryHome(), 'journal.sqlite'))
  onTestFinished(async () => await store.close())
  await addSession(store, 's')
  return store
}

async function addSession(store: JournalStore, id: string): Promise<void> {
  const { agent, agentSessionId, lastConnectionId, cwd, createdAt } = SESSION
  await store.createSession({ id, agent, agentSessionId, lastConnectionId, cwd, createdAt })
}

/** As the journal publishes them once they are on disk. */
async function append(store: JournalStore, envelopes: readonly Envelope[], id = 's'): Promise<JournalEvent[]> {
  const timed = envelopes.map((envelope, at) => ({ ...envelope, createdAt: 1000 + at }))
  const { firstSeq } = await store.append(id, timed)
  const { events } = await store.page(id, { after: firstSeq - 1, limit: envelopes.length })
  return events
}

async function tell(views: Views, events: readonly JournalEvent[]): Promise<OpenCodeEvent[]> {
  const notified = await Promise.all(events.map(event => views.onEvent(event)))
  return notified.flat()
}

test('a view that is built equals one that followed along', async () => {
  const store = await openStore()
  const events = await append(store, TURN)
  const followed = projectEvents(events)
  const built = await new Views(store).get('s')
  expect(everythingIn(built)).toEqual(everythingIn(followed.view))
})

test('the same events are published whether the view existed, was being built, or had them already', async () => {
  const store = await openStore()
  const events = await append(store, TURN)
  const expected = projectEvents(events).events
  expect(await tell(new Views(store), events)).toEqual(expected)
  const asked = new Views(store)
  const [notified] = await Promise.all([tell(asked, events), asked.get('s'), asked.get('s')])
  expect(notified).toEqual(expected)
  const builtBefore = new Views(store)
  await builtBefore.get('s')
  expect(await tell(builtBefore, events)).toEqual(expected)
  expect((await builtBefore.get('s')).messages()).toHaveLength(2)
})

test('a view that is there follows at once', async () => {
  const store = await openStore()
  const views = new Views(store)
  await views.get('s')
  const events = await append(store, TURN)
  const notified = events.map(event => views.onEvent(event))
  expect(notified.every(one => Array.isArray(one))).toBe(true)
  expect((await Promise.all(notified)).flat()).toEqual(projectEvents(events).events)
})

test('events of another process are published with the next event', async () => {
  const store = await openStore()
  const views = new Views(store)
  await views.get('s')
  const events = await append(store, TURN)
  expect(await tell(views, events.slice(-1))).toEqual(projectEvents(events).events)
})

test('the least used views are dropped, active ones are not', async () => {
  const store = await openStore()
  for (const id of ['a', 'b', 'c']) await addSession(store, id)
  await append(store, [prompt(1, 'Run'), permission(7)], 'a')
  const views = new Views(store, { maxViews: 2 })
  const { id = '' } = (await views.get('a')).permissions()[0] ?? {}
  for (const other of ['b', 'c', 's']) await views.get(other)
  expect(['a', 'b', 'c', 's'].filter(one => views.peek(one) !== undefined)).toEqual(['a', 's'])
  expect(views.findRequest(id)?.asked.question.key).toBe('connection-1/7')
  await tell(views, await append(store, [SETTLED], 'a'))
  expect(views.findRequest(id)).toBeUndefined()
  await views.get('b')
  await views.get('c')
  expect(views.peek('a')).toBeUndefined()
})

test('messages that a view dropped are read from the journal again', async () => {
  const store = await openStore()
  const turns = Array.from({ length: 12 }, (_, n) => [prompt(n, `Ask ${n}`), chunk('x'.repeat(3000)), answered(n)])
  const events = await append(store, turns.flat())
  const whole = projectEvents(events).view.messages()
  const views = new Views(store, { view: { maxBytes: 20_000 } })
  const view = await views.get('s')
  expect(view.bytes).toBeLessThan(20_000)
  expect(view.messages().length).toBeLessThan(whole.length)
  expect(await views.messages('s')).toEqual(whole)
  const before = whole[6]?.info.id ?? ''
  expect(await views.messages('s', { limit: 3, before })).toEqual(whole.slice(3, 6))
  expect(await views.message('s', whole[1]?.info.id ?? '')).toEqual(whole[1])
  expect(await views.message('s', 'none')).toBeUndefined()
  await expect(views.messages('s', { before: 'none' })).rejects.toSatisfy(error => hasErrorCode(error, 'not-found'))
})

test('an unknown session is an error, also the second time; one of a connection publishes nothing', async () => {
  const store = await openStore()
  const views = new Views(store)
  for (const _ of [1, 2])
    await expect(views.get('none')).rejects.toSatisfy(error => hasErrorCode(error, 'session-not-found'))
  const owner = { pid: 1, began: 'x' }
  await store.beginConnection({ id: 'k', agent: 'mock', beganAt: 1, owner }, '/')
  const events = await append(store, [prompt(1, 'x'), answered(1)], 'k')
  expect(await tell(views, events)).toEqual([])
  expect(await tell(views, events)).toEqual([])
})

test('a journal that cannot be read now is an error to who asks, and read again when it can be', async () => {
  const store = await openStore()
  const events = await append(store, TURN)
  let isBroken = true
  const broken = new Proxy(store, {
    get(target, name) {
      if (name === 'page' && isBroken) return () => Promise.reject(new Error('no page'))
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const views = new Views(broken)
  await expect(views.get('s')).rejects.toThrow('no page')
  isBroken = false
  expect((await views.get('s')).lastSeq).toBe(events.length)
})
