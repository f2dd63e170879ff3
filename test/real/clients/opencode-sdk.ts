// OpenCode's SDK, both of its clients, as a program uses it.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createOpencodeClient } from 'opencode-sdk/v2'
import { z } from 'zod'
import { type RealClient, require } from './client.ts'
import { OTHER_AGENT, type Stage, TOKEN } from './stage.ts'

const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(packageFile(fileURLToPath(import.meta.resolve('opencode-sdk'))), 'utf8'))).version

const PERMISSION = [{ permission: 'bash', pattern: '*', action: 'deny' as const }]

export const opencodeSdk: RealClient = {
  name: 'opencode-sdk',
  title: 'OpenCode, SDK (`@opencode-ai/sdk/v2`)',
  version,
  install: `npm install @opencode-ai/sdk@${version}`,
  missing: () => undefined,
  cases: [
    {
      name: 'session.prompt while the agent asks for a permission',
      run: async stage => {
        const client = connect(stage)
        const model = { providerID: OTHER_AGENT, modelID: 'default' }
        const sessionID = (await client.session.create()).data?.id ?? ''
        const answer = client.session.prompt({ sessionID, model, parts: [{ type: 'text', text: 'permission' }] })
        const requestID = await untilAsked(stage, sessionID)
        await client.permission.reply({ requestID, reply: 'once' })
        const { data } = await answer
        const tool = data?.parts.find(part => part.type === 'tool')
        require(tool?.state.status === 'completed', JSON.stringify(data))
        return `It resolves at the end of the turn, with ${data?.parts.length} parts.`
      },
    },
    {
      name: 'permission rules with session.create',
      run: async stage => {
        const client = connect(stage)
        const { data: session } = await client.session.create({ permission: PERMISSION })
        const sessionID = session?.id ?? ''
        const { data } = await client.session.prompt({ sessionID, parts: [{ type: 'text', text: 'permission' }] })
        const tool = data?.parts.find(part => part.type === 'tool')
        require(tool?.state.status === 'error', JSON.stringify(data))
        return 'The rule `deny` rejects what the agent asks for, and nobody else is asked.'
      },
    },
    {
      name: 'session.promptAsync, then kill -9 of the server',
      run: async stage => {
        const client = connect(stage)
        const sessionID = (await client.session.create()).data?.id ?? ''
        const say = (text: string) => ({ sessionID, parts: [{ type: 'text' as const, text }] })
        await client.session.promptAsync(say('slow'))
        await client.session.promptAsync(say('kept'))
        await stage.kill()
        await stage.start()
        const { data } = await connect(stage).session.messages({ sessionID })
        const texts = (data ?? []).flatMap(({ info, parts }) => (info.role === 'user' ? parts : []))
        const said = texts.map(part => (part.type === 'text' ? part.text : ''))
        require(JSON.stringify(said) === JSON.stringify(['slow', 'kept']), JSON.stringify(said))
        return `${said.length} of 2 messages are in the session after the crash.`
      },
    },
    {
      name: 'a file that is not base64',
      run: async stage => {
        const client = connect(stage)
        const sessionID = (await client.session.create()).data?.id ?? ''
        const url = 'data:image/png;base64,#'
        const { response } = await client.session.prompt({
          sessionID,
          parts: [{ type: 'file', mime: 'image/png', url }],
        })
        require(response?.status === 400, `The status is ${response?.status}.`)
        return 'It is refused with 400.'
      },
    },
  ],
}

function connect({ baseUrl }: Stage) {
  return createOpencodeClient({ baseUrl, headers: { Authorization: `Bearer ${TOKEN}` } })
}

async function untilAsked(stage: Stage, sessionID: string): Promise<string> {
  for (;;) {
    const { data = [] } = await connect(stage).permission.list()
    const asked = data.find(request => request.sessionID === sessionID)
    if (asked !== undefined) return asked.id
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

function packageFile(module: string): string {
  return module.replace(/(node_modules\/(?:@[^/]+\/)?[^/]+)\/.*$/, '$1/package.json')
}
