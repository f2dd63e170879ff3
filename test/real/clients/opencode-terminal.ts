// OpenCode's terminal client, attached inside tmux: what a person sees.
import { hasTmux, Tmux } from '../tmux.ts'
import { type RealClient, require } from './client.ts'
import { opencodeRun, program, quiet } from './opencode-run.ts'
import { type Stage, TOKEN } from './stage.ts'

export const opencodeTerminal: RealClient = {
  name: 'opencode-terminal',
  title: 'OpenCode, terminal client (`opencode attach`)',
  version: opencodeRun.version,
  install: opencodeRun.install,
  missing: () => opencodeRun.missing() ?? (hasTmux() ? undefined : 'there is no tmux'),
  cases: [
    {
      name: 'an answer streams, and the session is named after the message',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'stream 12')
          await client.shows('word12')
          const { title } = (await newest(stage)) ?? {}
          require(title === 'stream 12', `The title is ${title}.`)
          return 'The answer is on the screen, and the title is the message.'
        }),
    },
    {
      name: 'the dialog of a permission',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'permission please')
          await client.shows('Permission required')
          await client.shows('Shell command')
          await client.shows('$ echo permission')
          client.press('Enter')
          await client.hides('Permission required')
          return 'It says "Shell command" and shows the command.'
        }),
    },
    {
      name: 'the diff in the dialog of a permission',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'permission to edit notes.txt')
          await client.shows('Permission required')
          const screen = await client.shows('the new line')
          require(screen.includes('Edit') && screen.includes('notes.txt'), screen)
          require(screen.includes('the old line') && !screen.includes('No diff provided'), screen)
          client.press('Enter')
          await client.hides('Permission required')
          return 'It says "Edit", names the file, and shows the old and the new line.'
        }),
    },
    {
      name: '"always" in the dialog of a permission',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'permission: ls')
          await client.shows('$ ls')
          client.press('Right')
          client.press('Enter')
          await client.shows('Always allow (asked for: ls)')
          client.press('Enter')
          await client.hides('Always allow')
          say(client, 'permission: rm -rf build')
          await client.shows('$ rm -rf build')
          await client.shows('Permission required')
          client.press('Escape')
          return 'It shows the option of the agent. Another command is asked for again.'
        }),
    },
    {
      name: 'a message that is typed while a turn runs',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'slow')
          await client.shows('word2')
          say(client, 'typed meanwhile')
          await client.shows('QUEUED')
          // Once asks, twice interrupts.
          client.press('Escape')
          await client.shows('again to interrupt')
          client.press('Escape')
          await client.shows('interrupted')
          say(client, 'the next one')
          await untilTexts(stage, 'assistant', ['typed meanwhile', 'the next one'])
          return 'It is shown as QUEUED, stays when the turn is interrupted, and is sent before the next message.'
        }),
    },
    {
      name: 'kill -9 of the server in the middle of an answer',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'slow')
          await client.shows('word2')
          await stage.kill()
          await stage.start()
          await client.shows('interrupted')
          await client.hides('esc interrupt')
          say(client, 'after the crash')
          await client.shows('restore')
          await untilTexts(stage, 'assistant', ['after the crash'])
          return 'Connected again, it shows the answer as interrupted and does not spin. The next answer says how the conversation was restored.'
        }),
    },
    {
      name: 'a command that is not supported',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'hello')
          await untilTexts(stage, 'assistant', ['hello'])
          client.type('/undo')
          await client.shows('Undo previous message')
          client.press('Enter')
          await client.shows('Not supported')
          return '`/undo` shows why it is refused, and what to do instead.'
        }),
    },
    {
      name: 'a session that cannot be shared',
      run: async stage =>
        await attached(stage, async client => {
          say(client, 'hello')
          await untilTexts(stage, 'assistant', ['hello'])
          client.type('/share')
          await client.shows('Share session')
          client.press('Enter')
          await client.shows('Are you sure')
          client.press('Enter')
          const screen = await client.shows('Not supported')
          require(screen.includes('conversations stay on this'), screen)
          return '`/share` shows that conversations stay on this machine.'
        }),
    },
  ],
}

async function attached(stage: Stage, talk: (client: Tmux) => Promise<string>): Promise<string> {
  const client = new Tmux(`rethread-clients-${process.pid}`, {
    folder: stage.project,
    command: [program, 'attach', stage.baseUrl],
    variables: { ...stage.variables, ...quiet, TERM: 'xterm-256color', OPENCODE_SERVER_PASSWORD: TOKEN },
  })
  try {
    await client.shows('Ask anything')
    return await talk(client)
  } finally {
    client.close()
  }
}

function say(client: Tmux, text: string): void {
  client.type(text)
  client.press('Enter')
}

interface Listed {
  info: { role: string }
  parts: { type: string; text?: string }[]
}

async function newest(stage: Stage): Promise<{ id: string; title: string } | undefined> {
  return ((await stage.get('/session')) as { id: string; title: string }[])[0]
}

/** The journal has the last texts: the screen scrolls. */
async function untilTexts(stage: Stage, role: string, texts: readonly string[]): Promise<void> {
  for (let at = 0; ; at++) {
    const session = await newest(stage)
    const messages = session === undefined ? [] : ((await stage.get(`/session/${session.id}/message`)) as Listed[])
    const own = messages.filter(({ info }) => info.role === role)
    const said = own.map(({ parts }) => parts.find(({ type }) => type === 'text')?.text ?? '')
    if (JSON.stringify(said.slice(-texts.length)) === JSON.stringify(texts)) return
    require(at < 300, `The session has ${JSON.stringify(said)}.`)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
