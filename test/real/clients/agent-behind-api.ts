// The real agents behind the API, as a program talks to them with OpenCode's SDK. The models are a stand-in on
// 127.0.0.1: its answers say how many messages the agent sent, so a conversation that lost some shows.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createOpencodeClient } from 'opencode-sdk/v2'
import { startModelServer } from '../model-server.ts'
import { ACP_AGENTS, type AcpAgent, binaryOf } from '../restores/acp-agents.ts'
import { type RealClient, require } from './client.ts'
import { type Stage, TOKEN } from './stage.ts'

const installed = process.env['RETHREAD_TEST_REAL_AGENTS'] ?? ''
const POLL_MS = 100
/** A second start of an agent on a busy machine. */
const PATIENCE_MS = 120_000
const MINUTE_MS = 60_000

export const agentsBehindApi: readonly RealClient[] = ACP_AGENTS.map(agent => ({
  name: `agent-${agent.name}`,
  title: `${agent.title}, behind the API`,
  version: agent.version,
  install: `npm install ${agent.npmPackage}@${agent.version}`,
  missing: () =>
    existsSync(binaryOf(agent, installed)) ? undefined : `${binaryOf(agent, installed)} is not installed`,
  async prepare(stage) {
    const model = await startModelServer()
    agent.prepare(stage.home, model.port)
    ASK_FIRST[agent.store]?.(stage.home)
    const { name, args, store } = agent
    const env = { ...agent.variables(model.port), ...ASK_VARIABLES[store] }
    stage.configure({ [name]: { command: binaryOf(agent, installed), args, store, env } })
    return async () => await model.stop()
  },
  cases: [
    {
      name: 'session.prompt while the agent asks for a permission',
      run: async stage => await askedFor(stage, agent),
    },
    {
      name: 'two turns in one session',
      run: async stage => {
        const session = await begin(stage, agent)
        const first = historyIn(await session.say('Please add a price field'))
        const second = historyIn(await session.say('And a currency'))
        require(second > first, `The model got ${first} messages, then ${second}.`)
        return `The model got ${first} messages with the first prompt and ${second} with the second.`
      },
    },
    {
      name: 'kill -9 of the agent in the middle of an answer',
      run: async stage => {
        const session = await begin(stage, agent)
        await session.say('Please add a price field')
        const slow = session.say('SLOW tell me everything')
        await session.until(text => text.includes('word2'))
        const killed = killAgents(stage)
        const { data } = await slow
        require(data?.info.role === 'assistant' && data.info.error !== undefined, JSON.stringify(data))
        const kept = await session.lastText()
        require(/word0 word1/.test(kept), `Of the answer there is: ${kept}`)
        await untilNextMinute(agent)
        const history = historyIn(await session.say('Go on from here'))
        require(history > 1, `The model got ${history} messages.`)
        return `${killed} killed. The request ends with the error, what was said is kept, and the next prompt is answered (${history} messages, restored by ${await session.strategy()}).`
      },
    },
    {
      name: 'kill -9 of the server in the middle of an answer',
      run: async stage => {
        const before = await begin(stage, agent)
        await before.say('Please add a price field')
        before.say('SLOW tell me everything').catch(() => undefined)
        await before.until(text => text.includes('word2'))
        await stage.kill()
        await stage.start()
        const session = open(stage, agent, before.id)
        const kept = await session.lastText()
        require(/word0 word1/.test(kept), `Of the answer there is: ${kept}`)
        await untilNextMinute(agent)
        const history = historyIn(await session.say('Go on from here'))
        require(history > 1, `The model got ${history} messages.`)
        return `What was said is kept, and the next prompt is answered (${history} messages, restored by ${await session.strategy()}).`
      },
    },
    {
      name: 'a restart of the server between two turns',
      run: async stage => {
        const before = await begin(stage, agent)
        const first = historyIn(await before.say('Please add a price field'))
        await stage.stop()
        await stage.start()
        const session = open(stage, agent, before.id)
        await untilNextMinute(agent)
        const history = historyIn(await session.say('And a currency'))
        require(history > first, `The model got ${first} messages, then ${history}.`)
        return `The session is listed with its messages; the next prompt is answered (${history} messages, restored by ${await session.strategy()}).`
      },
    },
  ],
}))

async function askedFor(stage: Stage, agent: AcpAgent): Promise<string> {
  const session = await begin(stage, agent)
  let isAnswered = false
  const turn = session.say('WRITE the list of the files').finally(() => {
    isAnswered = true
  })
  for (const begun = Date.now(); ; await sleep(POLL_MS)) {
    require(!isAnswered, `It was answered without a permission: ${isAnswered && JSON.stringify((await turn).data)}`)
    require(Date.now() - begun < PATIENCE_MS, 'No permission was asked for.')
    const { data = [] } = await session.client.permission.list()
    const [request] = data
    if (request === undefined) continue
    // Time for an answer that does not wait.
    await sleep(1000)
    require(!isAnswered, 'It was answered while the permission was open.')
    await session.client.permission.reply({ requestID: request.id, reply: 'once' })
    const { data: answer } = await turn
    const tools = (answer?.parts ?? []).flatMap(part => (part.type === 'tool' ? [part] : []))
    require(tools.some(({ state }) => state.status === 'completed'), JSON.stringify(answer))
    const [tool] = tools
    const shown = tool?.state.status === 'completed' ? tool.state.output : ''
    // Gemini CLI does not send what a command printed.
    const isOutput = shown.trim() === 'tool-output' || (shown === '' && agent.store === 'gemini-cli')
    require(isOutput && tool?.tool === 'bash', JSON.stringify(tool))
    const kind = `\`${request.permission}\` (\`${request.patterns.join(', ')}\`)`
    return `Asked for ${kind}; "always" would be: ${request.always.join(', ')}. It resolves at the end of the turn, with ${answer?.parts.length} parts.`
  }
}

/** In its usual mode, a model decides about permissions. */
const ASK_VARIABLES: Record<string, Record<string, string>> = { codex: { INITIAL_AGENT_MODE: 'workspace-write' } }

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

async function begin(stage: Stage, agent: AcpAgent) {
  const { data } = await connect(stage).session.create({ directory: stage.project })
  return open(stage, agent, data?.id ?? '')
}

function open(stage: Stage, { name }: AcpAgent, sessionID: string) {
  const client = connect(stage)
  const lastText = async (): Promise<string> => {
    const { data = [] } = await client.session.messages({ sessionID })
    const parts = data.filter(({ info }) => info.role === 'assistant').at(-1)?.parts ?? []
    return parts.map(part => (part.type === 'text' ? part.text : '')).join('\n')
  }
  return {
    id: sessionID,
    client,
    lastText,
    say: async (text: string) => {
      return await client.session.prompt({ sessionID, agent: name, parts: [{ type: 'text', text }] })
    },
    until: async (isSo: (text: string) => boolean) => {
      for (const begun = Date.now(); ; await sleep(POLL_MS)) {
        const text = await lastText()
        if (isSo(text)) return
        require(Date.now() - begun < PATIENCE_MS, `The answer stays: ${text}`)
      }
    },
    strategy: async (): Promise<string> => {
      const messages = JSON.stringify(await stage.get(`/session/${sessionID}/message`))
      return /"strategy":"(\w+)"/.exec(messages)?.[1] ?? 'nothing: the agent still had it'
    },
  }
}

type Said = Awaited<ReturnType<ReturnType<typeof open>['say']>>

function historyIn({ data, error }: Said): number {
  const text = (data?.parts ?? []).map(part => (part.type === 'text' ? part.text : '')).join('\n')
  const history = /history=(\d+)/.exec(text)?.[1]
  require(history !== undefined, JSON.stringify(error ?? data))
  return Number(history)
}

function connect({ baseUrl }: Stage) {
  return createOpencodeClient({ baseUrl, headers: { Authorization: `Bearer ${TOKEN}` } })
}

/** The processes that the server started, each with its group. */
function killAgents({ pid }: Stage): string {
  const children = readdirSync('/proc').filter(name => /^\d+$/.test(name) && fieldsOf(name)[1] === String(pid))
  const leaders = children.filter(child => fieldsOf(child)[2] === child)
  for (const leader of leaders) process.kill(-Number(leader), 'SIGKILL')
  require(leaders.length > 0, 'No process of an agent was found.')
  return `${leaders.length} process group${leaders.length === 1 ? '' : 's'}`
}

/** State, parent and group of a process. */
function fieldsOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    // It ended meanwhile.
    return []
  }
}

/** Gemini CLI names its files by the minute: within that of its beginning a session is loaded over itself. */
async function untilNextMinute({ store }: AcpAgent): Promise<void> {
  if (store === 'gemini-cli') await sleep(MINUTE_MS + 500 - (Date.now() % MINUTE_MS))
}
