// Scenarios in which something is killed: the agent, rethread itself, or only the adapter in front of the agent.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { notified, saidIn } from '../../support/journal.ts'
import { killAgent, processOf, say } from './conversation-stage.ts'
import { comeBack, converse, requestWith, type Scenario, SLOW, type Stage, untilNextMinute } from './stage.ts'

const OWN_RUNGS = ['resume', 'load'] as const

/** Its whole group, between two turns. */
export const agentKilled: Scenario = async stage => {
  const id = await converse(stage)
  await killAgent(stage.opened, id)
  await untilNextMinute(stage)
  await comeBack(stage, id, OWN_RUNGS)
}

/** As above, and once more. What the agent did to its store when it came back the first time shows now. */
export const agentKilledTwice: Scenario = async stage => {
  const id = await converse(stage)
  await killAgent(stage.opened, id)
  await untilNextMinute(stage)
  await stage.opened.conversations.prompt(id, say('And the second time'))
  await killAgent(stage.opened, id)
  await untilNextMinute(stage)
  await comeBack(stage, id, ANY_RUNG)
}
const ANY_RUNG = ['resume', 'load', 'repair', 'replay'] as const

/** Nobody waits a minute before a second try. */
export const agentKilledAtOnce: Scenario = async stage => {
  const id = await converse(stage)
  await killAgent(stage.opened, id)
  await comeBack(stage, id, ANY_RUNG)
}

/** rethread itself, in the middle of an answer. */
export const rethreadKilled: Scenario = async stage => {
  const { row, place } = stage
  await stage.opened.close()
  const id = await runFirstHalf(stage)
  row.before = requestWith(stage.server, SLOW).length
  const opened = await stage.reopen()
  const { sessions, fenced } = await opened.conversations.settle()
  row.remarks.push(`${fenced} processes of the agent had outlived rethread and were ended`)
  if (!sessions.includes(id)) row.faults.push('the open turn was not settled')
  const answer = (await saidIn(opened.store, id)).at(-1) ?? ''
  if (!/word0 word1 .*\(incomplete\)$/s.test(answer)) row.faults.push(`of the answer there is only: ${answer}`)
  row.remarks.push(`"${answer.slice(answer.indexOf('word0'))}" is in the journal`)
  if (findProcessesIn(place.home).length > 0) row.faults.push('something of the agent still runs')
  await untilNextMinute(stage)
  // Some agents keep the prompt that was not answered, some drop it.
  const { sent } = await comeBack(stage, id, ANY_RUNG, -1)
  row.remarks.push(
    sent.includes(SLOW)
      ? 'the agent has the prompt that was cut off'
      : 'the agent no longer has the prompt that was cut off',
    sent.includes('word1 ') ? 'the agent has what it had answered' : 'the agent has nothing of the answer',
  )
}

async function runFirstHalf({ place, row }: Stage): Promise<string> {
  const { agent, installed, home, port } = place
  const script = join(import.meta.dirname, 'first-half.ts')
  const child = spawn(process.execPath, [script, agent.name, installed, home, String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', chunk => out.push(chunk))
  child.stderr.on('data', chunk => err.push(chunk))
  await once(child, 'exit')
  if (child.signalCode !== 'SIGKILL') row.faults.push(Buffer.concat(err).toString('utf8').slice(-500))
  return Buffer.concat(out).toString('utf8').trim()
}

/** Only the process that rethread started, while the one behind it answers. */
export const adapterKilled: Scenario = async stage => {
  const { opened, row, place } = stage
  const id = await converse(stage)
  const { connection } = await opened.conversations.ensure(id)
  const begun = notified(
    opened,
    ({ kind, envelope }) => /message_chunk/.test(kind) && /word2/.test(JSON.stringify(envelope)),
  )
  const slow = opened.conversations.prompt(id, say(SLOW)).then(
    () => row.faults.push('the turn ended as if nothing had happened'),
    () => undefined,
  )
  await begun
  const behind = findProcessesIn(place.home)
  process.kill(await processOf(opened, id), 'SIGKILL')
  await connection.closed
  await slow
  const left = findProcessesIn(place.home)
  row.remarks.push(`${behind.length} processes before, ${left.length} when its end was written down`)
  if (left.length > 0) row.faults.push(`still there: ${left.join(', ')}`)
  const before = sizesIn(place.home)
  await sleep(LATER_MS)
  const after = sizesIn(place.home)
  if (before !== after) row.faults.push('something was written after the end')
  const answer = (await saidIn(opened.store, id)).at(-1) ?? ''
  if (!/word0 word1 .*\(incomplete\)$/s.test(answer)) row.faults.push(`of the answer there is only: ${answer}`)
  await untilNextMinute(stage)
  await comeBack(stage, id, ANY_RUNG, -1)
}
/** The answer would have been over by then. */
const LATER_MS = 8000

/** By the home they were given, wherever they went. */
function findProcessesIn(home: string): string[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter(pid => readQuietly(`/proc/${pid}/environ`).includes(`HOME=${home}\0`))
    .filter(pid => !/^State:\s+[ZX]/m.test(readQuietly(`/proc/${pid}/status`)))
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    // It ended while it was looked at.
    return ''
  }
}

function sizesIn(home: string): string {
  const files = readdirSync(home, { withFileTypes: true, recursive: true }).filter(entry => entry.isFile())
  const own = files.filter(({ parentPath }) => parentPath !== home && !parentPath.includes('state-of-rethread'))
  return own
    .map(({ parentPath, name }) => `${name} ${readQuietly(join(parentPath, name)).length}`)
    .toSorted()
    .join('\n')
}
