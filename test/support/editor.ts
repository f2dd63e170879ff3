// An editor that talks to `rethread acp`, through the protocol's own client.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { type ClientConnection, client, ndJsonStream, type RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { onTestFinished } from 'vitest'
import { LineCollector } from '../../src/bytes/line-collector.ts'
import { type EditorOptions, serveEditor } from '../../src/journal/editor/serve-editor.ts'
import { openJournal } from '../../src/journal/store/open.ts'
import { mockAgentCommand } from './package.ts'
import { NO_CARE } from './talk.ts'

export interface SessionUpdate {
  sessionId: string
  update: Record<string, unknown>
}

export interface Editor {
  agent: ClientConnection['agent']
  /** Updates, in the order they came. */
  updates: SessionUpdate[]
  permissions: RequestPermissionRequest[]
  /** Everything that was written to the editor, as lines. */
  lines(): string[]
  close(): Promise<void>
}

/** Over any two streams. */
export function connectEditor(toUs: Readable, fromUs: Writable): Omit<Editor, 'close'> {
  const updates: SessionUpdate[] = []
  const permissions: RequestPermissionRequest[] = []
  const seen: Buffer[] = []
  const lines = new LineCollector(Number.POSITIVE_INFINITY)
  const take = (line: Buffer): void => {
    const { method, params } = JSON.parse(line.toString('utf8'))
    if (method === 'session/update') updates.push({ sessionId: params.sessionId, update: params.update })
  }
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      toUs.on('data', (chunk: Buffer) => {
        seen.push(chunk)
        // As they come on the wire: the protocol's own client gives an answer before the updates that preceded it.
        for (const { bytes } of lines.push(chunk)) take(bytes)
        controller.enqueue(chunk)
      })
      toUs.on('end', () => controller.close())
    },
  })
  const writable = new WritableStream<Uint8Array>({
    write: chunk => void fromUs.write(chunk),
    close: () => void fromUs.end(),
  })
  const connection = client({ name: 'editor' })
    .onNotification('*', () => undefined)
    .onRequest('session/request_permission', ({ params }) => {
      permissions.push(params)
      return { outcome: { outcome: 'selected', optionId: params.options[0]?.optionId ?? '' } }
    })
    .onRequest('fs/read_text_file', ({ params }) => ({ content: `content of ${params.path}` }))
    .connect(ndJsonStream(writable, readable))
  return {
    agent: connection.agent,
    updates,
    permissions,
    lines: () => Buffer.concat(seen).toString('utf8').split('\n').filter(Boolean),
  }
}

/** rethread in this process, over the mock agent. A second one in the same folder finds what the first left. */
export async function openEditor(
  folder: string,
  flags: readonly string[] = [],
  more: Pick<EditorOptions, 'showAfterMs'> = {},
): Promise<Editor> {
  mkdirSync(join(folder, 'project'), { recursive: true })
  const store = await openJournal(join(folder, 'journal.sqlite'))
  const [input, output] = [new PassThrough(), new PassThrough()]
  const { command, args } = mockAgentCommand()
  const served = serveEditor({
    ...more,
    store,
    agentName: 'mock',
    agent: name => ({
      name,
      title: 'Mock',
      command,
      args: [...args, '--log', join(folder, 'agent.log'), ...flags],
      env: {},
    }),
    cwd: join(folder, 'project'),
    agentFiles: NO_CARE,
    onBackgroundError: error => {
      throw error
    },
    input,
    output,
  })
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    input.end()
    closing ??= served.then(async () => await store.close())
    return closing
  }
  onTestFinished(close)
  const editor = connectEditor(output, input)
  await editor.agent.request('initialize', { protocolVersion: 1, clientCapabilities: { fs: { readTextFile: true } } })
  return { ...editor, close }
}

export function textOf(updates: readonly SessionUpdate[], kind: string): string {
  return updates
    .filter(({ update }) => update['sessionUpdate'] === kind)
    .map(({ update }) => Object(update['content'])['text'])
    .join('')
}
