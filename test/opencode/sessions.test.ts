// Sessions, messages and events through each of OpenCode's own clients, against the real server with the mock agent.
import { describe, expect, test } from 'vitest'
import { shareOpenCodeServer } from '../support/opencode-server.ts'
import { type Answer, drivers, type Message, type Model } from './clients.ts'
import { Heard } from './heard-events.ts'

const MOCK: Model = { providerID: 'mock', modelID: 'mock' }
const MODEL_FIXED =
  'OpenCode compatibility currently does not support changing the model after creating a session. Export with /export and load in to a new session.'
const server = shareOpenCodeServer()

/** An answer without an error. */
function dataOf<Data>({ data, error }: Answer): Data {
  expect(error).toBeUndefined()
  return data as Data
}

describe.each(drivers)('%s', (_name, drive) => {
  const client = () => drive(server().baseUrl)
  const begin = async (title?: string) => dataOf<{ id: string }>(await client().create(title)).id
  const prompt = async (id: string, text: string) => dataOf<Message>(await client().prompt(id, text, MOCK))

  test('begins, lists, reads, renames and deletes sessions', async () => {
    const ids = [await begin('First'), await begin()]
    expect(new Set(ids).size).toBe(2)
    expect(ids).toEqual(ids.toSorted())
    expect(await client().get(ids[0] ?? '')).toMatchObject({
      data: { id: ids[0], title: 'First', directory: '/workspace' },
    })
    await client().rename(ids[0] ?? '', 'Renamed')
    expect(dataOf<{ id: string; title: string }[]>(await client().list())).toEqual(
      expect.arrayContaining(ids.map(id => expect.objectContaining({ id }))),
    )
    expect(await client().get(ids[0] ?? '')).toMatchObject({ data: { title: 'Renamed' } })
    expect((await client().remove(ids[0] ?? '')).error).toBeUndefined()
    expect((await client().get(ids[0] ?? '')).error).toBeDefined()
    expect((await client().get('non-existent')).error).toBeDefined()
  })

  test('says something, hears the answer, and reads it again', async () => {
    const id = await begin()
    expect(dataOf(await client().messages(id))).toEqual([])
    const { info, parts } = await prompt(id, 'Hello, world!')
    expect(info).toMatchObject({ role: 'assistant', sessionID: id, ...MOCK })
    expect(parts.find(({ type }) => type === 'text')?.text).toBe('Hello, world!')
    const messages = dataOf<Message[]>(await client().messages(id))
    expect(messages.map(message => message.info.role)).toEqual(['user', 'assistant'])
    expect(dataOf<Message>(await client().message(id, info.id))).toEqual({ info, parts })
  })

  test('hears busy once and idle once, also for what it does not wait for', async () => {
    const heard = await Heard.by(client())
    const id = await begin()
    expect((await client().promptAsync(id, 'hello')).error).toBeUndefined()
    await heard.untilIdle(id)
    expect(dataOf(await client().status())).toMatchObject({ [id]: { type: 'idle' } })
    const types = heard.types(id)
    expect(types[0]).toBe('session.created')
    const statuses = heard.of(id).filter(({ type }) => type === 'session.status')
    expect(statuses.map(({ properties }) => properties['status'])).toEqual([{ type: 'busy' }, { type: 'idle' }])
    expect(types.filter(type => type === 'session.idle')).toHaveLength(1)
    expect(types.at(-1)).toBe('session.idle')
  })

  test('is busy until its turn ends', async () => {
    const heard = await Heard.by(client())
    const id = await begin()
    // Ends when it is stopped, not before.
    expect((await client().promptAsync(id, 'slow')).error).toBeUndefined()
    await heard.until(({ type, properties }) => type === 'session.status' && properties['sessionID'] === id)
    expect(dataOf(await client().status())).toMatchObject({ [id]: { type: 'busy' } })
    await client().abort(id)
    await heard.untilIdle(id)
    expect(dataOf(await client().status())).toMatchObject({ [id]: { type: 'idle' } })
  })

  test('gets tools and files in the order in which they first appeared', async () => {
    const heard = await Heard.by(client())
    const id = await begin()
    const { info, parts } = await prompt(id, 'tool')
    await heard.untilIdle(id)
    const notified = heard.of(id).filter(({ type }) => type === 'message.part.updated')
    const ofAnswer = notified.filter(({ properties }) => properties['messageID'] === info.id)
    const ids = ofAnswer.map(({ properties }) => (properties['part'] as { id: string }).id)
    expect([...new Set(ids)]).toEqual(parts.map(part => part.id))
    expect(ids).toEqual(ids.toSorted())
    expect(parts.map(({ type }) => type)).toEqual(['step-start', 'tool', 'file', 'step-finish'])
    expect(parts[1]).toMatchObject({ tool: 'bash', state: { status: 'completed', output: 'ok' } })
    expect(heard.of(id).find(({ type }) => type === 'file.edited')?.properties).toMatchObject({ file: '/README.md' })
    expect(parts[2]).toMatchObject({ filename: 'README.md', mime: 'text/plain', url: 'file:///README.md' })
  })

  test('hears of an agent that fails, with an answer that says so', async () => {
    const heard = await Heard.by(client())
    const id = await begin()
    const { info, parts } = await prompt(id, 'error')
    await heard.untilIdle(id)
    expect(info.id).toMatch(/_error$/)
    expect(parts).toEqual([])
    expect(heard.of(id).find(({ type }) => type === 'session.error')?.properties).toMatchObject({
      error: { name: 'UnknownError', data: { message: 'mock process crashed' } },
    })
  })

  test('cannot change the model any more, and reads so in these words', async () => {
    const id = await begin()
    await prompt(id, 'hello')
    const { error } = await client().prompt(id, 'again', { providerID: 'codex', modelID: 'gpt-5' })
    expect(JSON.stringify(error)).toContain(MODEL_FIXED)
    expect((await client().prompt(id, 'again', MOCK)).error).toBeUndefined()
  })

  test('cancels a turn, and a session that does nothing', async () => {
    const heard = await Heard.by(client())
    const id = await begin()
    expect(dataOf(await client().abort(id))).toBe(true)
    await client().promptAsync(id, 'slow')
    await heard.until(({ type, properties }) => type === 'message.part.updated' && properties['sessionID'] === id)
    expect(dataOf(await client().abort(id))).toBe(true)
    await heard.untilIdle(id)
    expect(dataOf(await client().status())).toMatchObject({ [id]: { type: 'idle' } })
  })

  test('forks a session, which is its child', async () => {
    const id = await begin()
    await prompt(id, 'hello')
    const fork = dataOf<{ id: string; parentID: string }>(await client().fork(id))
    expect(fork.parentID).toBe(id)
    expect(dataOf<Message[]>(await client().messages(fork.id))).toHaveLength(2)
    expect(dataOf<{ id: string }[]>(await client().children(id)).map(child => child.id)).toEqual([fork.id])
    expect((await prompt(fork.id, 'on and on')).info.role).toBe('assistant')
  })

  test('finds the agents as providers', async () => {
    const { all, default: defaults } = dataOf<{
      all: { id: string; models: Record<string, object> }[]
      default: Record<string, string>
    }>(await client().providers())
    const byId = new Map(all.map(({ id, models }) => [id, models]))
    expect([...byId.keys()]).toEqual(expect.arrayContaining(['mock', 'amp', 'pi', 'claude', 'codex', 'opencode']))
    expect(byId.get('mock')).toMatchObject({ mock: { id: 'mock', family: 'Mock' } })
    expect(byId.get('amp')).toMatchObject({ 'amp-default': { id: 'amp-default', family: 'Amp' } })
    expect(defaults).toMatchObject({ mock: 'mock', amp: 'amp-default', codex: 'gpt-5' })
  })
})
