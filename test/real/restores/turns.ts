// Scenarios with a living agent: a fork, a cancelled answer, a permission.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asFields } from '../../../src/journal/envelope.ts'
import { notified, saidIn } from '../../support/journal.ts'
import { begin, say } from './conversation-stage.ts'
import { converse, FILES, GO_ON, PRICE, type Scenario, SLOW, turn } from './stage.ts'

export const forked: Scenario = async stage => {
  const { opened, row } = stage
  const parent = await converse(stage)
  const { connection } = await opened.conversations.ensure(parent)
  const child = await opened.conversations.fork(parent)
  row.remarks.push(
    connection.capabilities.has('fork')
      ? 'the agent forks by itself'
      : 'the agent has no fork: a copy that gets the history',
  )
  const there = await turn(stage, child.id, GO_ON)
  row.after = there.history
  if (there.restored !== undefined) row.strategy = there.restored
  for (const text of [PRICE, FILES]) if (!there.sent.includes(text)) row.faults.push(`the fork does not have "${text}"`)
  const here = await turn(stage, parent, 'And here it goes on')
  if (here.sent.includes(GO_ON)) row.faults.push('the parent has what was said in the fork')
  const said = await saidIn(opened.store, child.id)
  if (said.filter(line => line.startsWith('user: ')).length !== 3) row.faults.push(`in the fork: ${said.join(' / ')}`)
}

export const cancelled: Scenario = async stage => {
  const { opened, row } = stage
  const id = await converse(stage)
  const begun = notified(
    opened,
    ({ kind, envelope }) => /message_chunk/.test(kind) && /word2/.test(JSON.stringify(envelope)),
  )
  const slow = turn(stage, id, SLOW)
  await begun
  await opened.conversations.cancel(id)
  const { stopReason } = await slow
  row.remarks.push(`stop reason: ${stopReason}`)
  if (stopReason !== 'cancelled') row.faults.push(`the stop reason is ${stopReason}`)
  const after = await turn(stage, id, GO_ON)
  row.after = after.history
  if (after.restored !== undefined) row.faults.push(`it had to come back by ${after.restored}`)
  if (after.stopReason !== 'end_turn') row.faults.push(`the next turn ended with ${after.stopReason}`)
  row.remarks.push(
    after.sent.includes('word1 ') ? 'the agent kept what it had said' : 'the agent kept nothing of what it had said',
  )
}

/** Set up so that the agent asks before it runs a command, where a setting can do that. */
export const asked: Scenario = async stage => {
  const { opened, row, place } = stage
  ASK_FIRST[place.agent.store]?.(place.home)
  const id = await begin(opened)
  await opened.conversations.prompt(id, say(FILES))
  const [first] = opened.permissions
  const options = asFields(first)['options']
  const kinds = Array.isArray(options) ? options.map(option => asFields(option)['kind']) : []
  row.remarks.push(first === undefined ? 'it asked for nothing' : `it asked, with ${kinds.join(', ')}; granted once`)
  if (first === undefined && ASK_FIRST[place.agent.store] !== undefined) row.faults.push('no permission was asked for')
  const said = (await saidIn(opened.store, id)).at(-1) ?? ''
  if (!said.includes('[completed]')) row.faults.push(`the tool did not run: ${said}`)
}

const ASK_FIRST: Record<string, (home: string) => void> = {
  opencode(home) {
    const path = join(home, '.config', 'opencode', 'opencode.json')
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), permission: { bash: 'ask' } }))
  },
  'claude-code'(home) {
    mkdirSync(join(home, '.claude'), { recursive: true })
    writeFileSync(join(home, '.claude', 'settings.json'), JSON.stringify({ permissions: { ask: ['Bash'] } }))
  },
}
