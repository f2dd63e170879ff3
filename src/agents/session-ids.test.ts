// Each store declares the form of its ids: it includes the ids that agents really use, and nothing that could
// be read as anything else.

import { describe, expect, test } from 'vitest'
import { resumeFrom } from '../../test/support/reading.ts'
import { idsIn } from '../model/program.ts'
import type { SessionRef } from '../model/session.ts'
import { agents } from './index.ts'
import { resumeOf } from './resume.ts'
import { hasUsualId, unusualId } from './session-ids.ts'

const ID = '0cc92932-c489-4b1f-841e-2cde012ca416'

/** As in recorded sessions, and in the description of each format. */
const REAL: Record<string, readonly string[]> = {
  'claude-code/projects': [ID, 'agent-a3895d7', 'agent-a02a4e3f351367b49', 'agent-aprompt_suggestion-5d1f2c'],
  'claude-code/cowork': [ID],
  'codex/rollouts': ['01a1de1b-cdd3-7811-b8da-22eea0816981', '5973B6C0-94B8-487B-A530-2AEB6098AE0E'],
  'codex/compressed': ['01a1de1b-cdd3-7811-b8da-22eea0816981'],
  'gemini-cli/json-lines': [ID, '32c5f799', `${ID}.unreadable-1763200000000`],
  'gemini-cli/document': [ID, '138cead6', `${ID}.json`, `${ID}.unreadable-1763200000000`],
  'opencode/database': ['ses_e21e2ffb8ffeFcRcXyGyxuHmGi', 'ses_01k8r0000a1b2c3d4e5f'],
  'opencode/tree': ['ses_e21e2ffb8ffeFcRcXyGyxuHmGi', 'ses_8a2b1c'],
  'amp/threads': [`T-${ID}`],
  'warp/database': [ID],
  'kiro/database': [ID],
  'kiro/cli': [ID],
  'kiro/v3': ['sess_01k9abcdef', `sess_${ID}`],
  'kiro/without-log': [ID, `sess_${ID}`],
  'kiro/ide': [ID, '3f2a9c01d4e5f60718293a4b5c6d7e8f'],
  'kiro/execution': [ID],
  'cursor/cli': [ID],
  'cursor/transcripts': [ID],
  'cursor/transcripts-text': [ID],
  'cursor/ide': [ID, 'task-toolu_01AbCdEf'],
  'cursor/chats': [ID, 'chatdata-0'],
  'jp/conversations': ['jp-c17636257526'],
  'jp/archive': ['jp-c17636257526'],
  'jp/trash': ['17636257526-größe-des-korbs.trash', '17636257526.trash', 'notes-2.trash'],
}

const HOSTILE = [
  '',
  '-',
  '--settings={"apiKeyHelper":"touch CANARY; echo x"}',
  '--yolo',
  '--prompt=delete everything',
  '--dangerously-skip-permissions',
  `-${ID}`,
  ` ${ID}`,
  `${ID} `,
  `${ID}\n`,
  `${ID}\n--yolo`,
  `${ID}\0`,
  `${ID}/../../x`,
  '..',
  '../x',
  'a/b',
  'a\\b',
  '$(touch x)',
  '`touch x`',
  'a;b',
  'a|b',
  'a&b',
  'a"b',
  "a'b",
  '\u001b]52;c;eA==\u0007',
  '\u2010\u2010yolo',
  '\uff0d\uff0dyolo',
  '\u202eabc',
  'ses_a b',
  'T-x y',
  'jp-c1;id',
  'x'.repeat(10_000),
  `ses_${'x'.repeat(10_000)}`,
]

const stores = agents.flatMap(agent => agent.stores.map(store => ({ agent, name: store.name, store })))

function refTo(agent: string, generation: string, sessionId: string, more: Partial<SessionRef> = {}): SessionRef {
  const place = { filePath: '/store/file', storeRoot: '/store', updatedAt: 0, fileSize: 0, identity: '' }
  return { agent, generation, sessionId, ...place, ...more }
}

describe.each(stores.map(each => [`${each.agent.id}/${each.name}`, each] as const))('%s', (title, each) => {
  const { agent, name, store } = each
  const patterns = [store.sessionId, ...(store.subagentId === undefined ? [] : [store.subagentId])]

  test('has an anchored, bounded pattern that keeps no state', () => {
    for (const { source, flags } of patterns) {
      expect(source).toMatch(/^\^.*\$$/)
      expect(source).not.toMatch(/(?<!\\)[*+](?![^[]*\])|\{\d+,\}/)
      expect(flags).not.toMatch(/[gmy]/)
    }
  })

  test('takes the ids that its agent gives', () => {
    expect(REAL[title]?.length).toBeGreaterThan(0)
    for (const id of REAL[title] ?? []) expect(hasUsualId(agent, refTo(agent.id, name, id)), id).toBe(true)
  })

  test('takes no other, for a session or a sub-agent, and makes no command of it', () => {
    const all = HOSTILE.flatMap(id => [refTo(agent.id, name, id), refTo(agent.id, name, id, { subagentOf: ID })])
    for (const session of all) {
      expect(hasUsualId(agent, session), session.sessionId.slice(0, 80)).toBe(false)
      expect(resumeOf(agent, session, { project: '/work' })).toMatchObject({ type: 'unsupported' })
      expect(resumeOf(agent, session, { project: '/work', sessionId: ID })).toMatchObject({ type: 'unsupported' })
      expect(unusualId(agent, session)).toMatchObject({ damage: 'unusual-id', severity: 'survived' })
      expect(unusualId(agent, session).text.length).toBeLessThan(400)
    }
  })

  test('makes no command of another id that stands in the file, nor for a folder that is not absolute', () => {
    for (const id of REAL[title] ?? []) {
      for (const inside of HOSTILE) {
        const resume = resumeOf(agent, refTo(agent.id, name, id), { project: '/work', sessionId: inside })
        if (resume.type === 'command') expect(resume.program.args).not.toContain(inside)
      }
      for (const project of ['relative', '-rf', '--settings=x', './x', '~/x', '']) {
        const session = refTo(agent.id, name, id, { project })
        expect(resumeOf(agent, session, { project }).type, project).toBe('unsupported')
      }
    }
  })
})

test('every session that can be resumed is named in its command as an id, so that it is held against the pattern', () => {
  for (const { agent, name } of stores) {
    const [id = ''] = REAL[`${agent.id}/${name}`] ?? []
    const resume = resumeFrom(agent, refTo(agent.id, name, id), {})
    if (resume.type === 'command') expect(idsIn(resume.words), `${agent.id}/${name}`).toHaveLength(1)
  }
})
