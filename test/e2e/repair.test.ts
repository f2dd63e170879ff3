import { spawn } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { rethread, rethreadInTurn, rethreadWith } from '../support/cli.ts'
import { put, temporaryHome } from '../support/home.ts'

const FOLDER = '.claude/projects/-home-dev-shop'
const ID = 'abcdef00-0000-4000-8000-000000000001'
const LONG_AGO = new Date(Date.UTC(2026, 0, 2))

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

function record(n: number, parent: string | null): string {
  const role = n % 2 === 1 ? 'user' : 'assistant'
  const content = role === 'user' ? `question ${n}` : [{ type: 'text', text: `answer ${n}` }]
  return `${JSON.stringify({
    parentUuid: parent,
    isSidechain: false,
    userType: 'external',
    cwd: '/home/dev/shop',
    sessionId: ID,
    version: '2.1.25',
    gitBranch: 'main',
    type: role,
    message: role === 'user' ? { role, content } : { id: `msg_${n}`, type: 'message', role, model: 'm', content },
    uuid: uuid(n),
    timestamp: new Date(Date.UTC(2026, 10, 1, 9, n)).toISOString(),
  })}\n`
}

/** Ten messages; the ninth goes on from a record that is nowhere. */
function putDamaged(home: string, phantomAt = 9): string {
  const lines = Array.from({ length: 10 }, (_, index) => {
    const n = index + 1
    return record(n, n === 1 ? null : n === phantomAt ? uuid(777) : uuid(n - 1))
  })
  const file = put(home, `${FOLDER}/${ID}.jsonl`, lines.join(''))
  utimesSync(file, LONG_AGO, LONG_AGO)
  return file
}

/** As an agent that keeps its log open, until the test is over. Written just now, however slow the machine. */
async function hold(file: string): Promise<void> {
  const holder = spawn('sh', ['-c', 'exec 3>>"$1"; echo ready; exec sleep 600', 'sh', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void holder.kill())
  await new Promise(resolve => holder.stdout.once('data', resolve))
  const soon = new Date(Date.now() + 30_000)
  utimesSync(file, soon, soon)
}

describe('check', () => {
  test('says how much a resume would load, what is wrong and what to paste', async () => {
    const home = temporaryHome()
    putDamaged(home)
    const { stdout, status } = await rethread(home, 'check')
    expect(status).toBe(3)
    expect(stdout).toContain('Claude Code would load 2 of 10 messages; after repair 10.')
    expect(stdout).toContain('broken-parent')
    expect(stdout).toContain(`rethread repair ${ID}`)
  })

  test('is one JSON document of the promised shape', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    const { stdout } = await rethreadInTurn(home, 'check', '--json')
    const { sessions, totals } = JSON.parse(stdout)
    expect(totals).toMatchObject({ sessions: 1, corrupted: 1, healthy: 0 })
    expect(sessions).toEqual([
      expect.objectContaining({
        agent: 'claude-code',
        sessionId: ID,
        filePath: file,
        status: 'corrupted',
        chainDepth: 2,
        orphanCount: 1,
        messageCount: 10,
        loads: { now: 2, afterRepair: 10 },
        findings: [expect.objectContaining({ damage: 'broken-parent', at: expect.objectContaining({ file }) })],
      }),
    ])
  })

  test('of healthy sessions is silent but for the sum, and ends with 0', async () => {
    const home = temporaryHome()
    putDamaged(home, 0)
    const { stdout, status } = await rethreadInTurn(home, 'check')
    expect(status).toBe(0)
    expect(stdout).toMatch(
      /^1 session \(.*\) checked: 1 healthy\n1 healthy session has no project folder any more.*\n$/,
    )
  })

  test('of a session that is not there ends with 5', async () => {
    expect((await rethreadInTurn(temporaryHome(), 'check', 'nothing')).status).toBe(5)
  })

  test('changes nothing, and its verdict is in the list', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    const before = readFileSync(file)
    await rethreadInTurn(home, 'check')
    expect(readFileSync(file)).toEqual(before)
    const { stdout } = await rethreadInTurn(home, 'list', '--json')
    expect(JSON.parse(stdout).sessions[0].status).toBe('corrupted')
  })

  test('a changed file is checked again', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    await rethreadInTurn(home, 'check')
    putDamaged(home, 0)
    utimesSync(file, LONG_AGO, LONG_AGO)
    expect((await rethreadInTurn(home, 'check')).status).toBe(0)
  })
})

describe('repair', () => {
  test('repairs, keeps a copy, says how to take it back, and undo gives the exact bytes', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    const before = readFileSync(file)
    const { stdout, status } = await rethread(home, 'repair', ID, '--json')
    expect(status).toBe(0)
    const [{ repair, loads, ...verdict }] = JSON.parse(stdout).sessions
    expect(verdict.status).toBe('healthy')
    expect(loads).toEqual({ now: 10, afterRepair: 10 })
    expect(repair).toMatchObject({ status: 'repaired', orphansFixed: 1, newChainDepth: 10, edits: 1 })
    expect(readFileSync(repair.backupPath)).toEqual(before)
    expect(readFileSync(file).length).toBe(before.length)

    expect((await rethreadInTurn(home, 'repair', ID, '--json')).stdout).toContain('"already_healthy"')
    expect((await rethreadInTurn(home, 'repairs')).stdout).toContain(repair.receipt)
    const undone = await rethreadInTurn(home, 'undo', repair.receipt)
    expect(undone.status).toBe(0)
    expect(readFileSync(file)).toEqual(before)
    expect((await rethreadInTurn(home, 'undo', repair.receipt)).status).toBe(5)
  })

  test('--dry-run prints the plan as a diff and changes nothing', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    const before = readFileSync(file)
    const { stdout, status } = await rethreadInTurn(home, 'repair', ID, '--dry-run')
    expect(status).toBe(3)
    expect(stdout).toContain(`- {"parentUuid":"${uuid(777)}"`)
    expect(stdout).toContain(`+ {"parentUuid":"${uuid(8)}"`)
    expect(readFileSync(file)).toEqual(before)
  })

  test('--all repairs every damaged session', async () => {
    const home = temporaryHome()
    putDamaged(home)
    const { stdout, status } = await rethreadInTurn(home, 'repair', '--all')
    expect([status, stdout]).toEqual([0, expect.stringContaining('Repaired with 1 edit')])
    expect((await rethreadInTurn(home, 'check')).status).toBe(0)
  })

  test('--all tells which sessions could not be examined and why, and ends with 5', async () => {
    const home = temporaryHome()
    put(home, `${FOLDER}/${uuid(41)}.jsonl`, '')
    const unfinished = put(home, `${FOLDER}/${uuid(42)}.jsonl`, record(1, null) + record(2, uuid(1)).slice(0, 90))
    await hold(unfinished)
    const { stdout, status } = await rethreadInTurn(home, 'repair', '--all')
    expect(status).toBe(5)
    expect(stdout).not.toContain('Nothing is damaged')
    expect(stdout).toContain('Claude Code session that cannot be read.')
    expect(stdout).toContain('Look for a copy beside it: ls -la')
    expect(stdout).toContain('Claude Code session that is busy.')
    expect(stdout).toContain(`has ${unfinished} open for writing`)

    putDamaged(home)
    const json = await rethreadInTurn(home, 'repair', '--all', '--json')
    expect(json.status).toBe(5)
    const { sessions, totals } = JSON.parse(json.stdout)
    expect(totals).toMatchObject({ sessions: 3, repaired: 1, refused: 2 })
    const refused = sessions.filter(({ repair }: { repair: { status: string } }) => repair.status === 'refused')
    expect(refused.map(({ status, reason }: { status: string; reason: object }) => [status, reason]).sort()).toEqual([
      ['busy', expect.objectContaining({ code: 'busy', hint: expect.any(String) })],
      ['unreadable', expect.objectContaining({ code: 'empty-file', hint: expect.any(String) })],
    ])
  })

  test('many edits for one reason are one sentence', async () => {
    const home = temporaryHome()
    const lines = Array.from({ length: 1200 }, (_, n) => record(n + 1, n % 2 === 0 ? uuid(9000 + n) : uuid(n)))
    utimesSync(put(home, `${FOLDER}/${ID}.jsonl`, lines.join('')), LONG_AGO, LONG_AGO)
    const { stdout } = await rethreadInTurn(home, 'repair', ID)
    expect(stdout).toContain('broken-parent: Reconnect 599 messages, each to the one before it\n')
    expect(stdout.split('\n').length).toBeLessThan(8)
  })

  test('with nothing named says what it wants', async () => {
    const { status, stderr } = await rethreadInTurn(temporaryHome(), 'repair')
    expect([status, stderr]).toEqual([2, expect.stringContaining('rethread repair --all')])
  })

  test('a session that somebody has open for writing is left alone even if forced', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    await hold(file)
    const { stdout, status } = await rethreadInTurn(home, 'repair', ID, '--force', '--json')
    expect(status).toBe(5)
    expect(JSON.parse(stdout).sessions[0]).toMatchObject({
      status: 'busy',
      repair: { status: 'refused', error: { code: 'busy' } },
    })
  })

  test('nothing of ours is left in the folders of the agent', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    appendFileSync(file, record(11, uuid(10)).slice(0, -1) + record(12, uuid(11)))
    utimesSync(file, LONG_AGO, LONG_AGO)
    expect((await rethreadInTurn(home, 'repair', ID)).status).toBe(0)
    expect(readdirSync(join(home, FOLDER))).toEqual([`${ID}.jsonl`])
  })
})

describe('resume', () => {
  /** An agent that says where it was started, with what, and what it finds. */
  function putAgent(home: string, status = 0): Record<string, string> {
    const folder = join(home, 'bin')
    mkdirSync(folder)
    writeFileSync(
      join(folder, 'claude'),
      `#!/bin/sh\necho "in $(pwd) with $*"\ngrep -c '${uuid(777)}' '${join(home, FOLDER)}/${ID}.jsonl'\nexit ${status}\n`,
    )
    chmodSync(join(folder, 'claude'), 0o755)
    return { PATH: `${folder}:${process.env['PATH']}` }
  }

  function putHere(home: string): void {
    const file = putDamaged(home)
    const project = join(home, 'shop')
    mkdirSync(project)
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('/home/dev/shop', project))
    utimesSync(file, LONG_AGO, LONG_AGO)
  }

  test('--print prints the command and changes nothing', async () => {
    const home = temporaryHome()
    const file = putDamaged(home)
    const before = readFileSync(file)
    const { stdout, status } = await rethreadInTurn(home, 'resume', ID, '--print')
    expect([status, stdout]).toEqual([0, `cd /home/dev/shop && claude --resume ${ID}\n`])
    expect(readFileSync(file)).toEqual(before)
  })

  test('repairs first, then starts the agent in the folder of the conversation', async () => {
    const home = temporaryHome()
    putHere(home)
    const { stdout, stderr, status } = await rethreadWith(home, putAgent(home), 'resume', ID)
    expect(stdout).toBe(`in ${join(home, 'shop')} with --resume ${ID}\n0\n`)
    expect(stderr).toContain('Repaired with 1 edit')
    expect(status).toBe(0)
  })

  test('ends with the status of the agent', async () => {
    const home = temporaryHome()
    putHere(home)
    expect((await rethreadWith(home, putAgent(home, 7), 'resume', ID)).status).toBe(7)
  })

  test('an agent that is not installed is said so', async () => {
    const home = temporaryHome()
    putHere(home)
    const { stderr, status } = await rethreadWith(home, { PATH: '/nowhere' }, 'resume', ID)
    expect([status, stderr]).toEqual([1, expect.stringContaining('claude is not installed')])
  })
})
