// A process that grows until somebody kills it.
import type { Story } from '../story.ts'
import { answer, ask, code, edit, read, red, search, shell, work, yellow } from '../story.ts'

const CASES = [
  { project: 'api', what: 'socket server', event: 'message', file: 'src/live/socket.ts', mb: 1840 },
  { project: 'infra', what: 'log shipper', event: 'drain', file: 'src/ship/sender.ts', mb: 912 },
  { project: 'storefront', what: 'image resizer', event: 'finish', file: 'src/images/resize.ts', mb: 2950 },
  { project: 'mobile', what: 'sync worker', event: 'change', file: 'src/sync/worker.ts', mb: 640 },
]

export const memoryLeak: Story[] = CASES.map(({ project, what, event, file, mb }) => ({
  title: `The ${what} eats memory`,
  project,
  turns: [
    ask(
      `The ${what} grows by about 40 MB an hour until the kernel kills it (at ${mb} MB last night). No idea where to begin.`,
    ),
    work(
      { text: 'With what the process says itself.' },
      shell(
        "kubectl logs deploy/app --since=12h | grep -iE 'leak|listener|heap' | sort | uniq -c | sort -rn | head -3",
        `   2214 ${yellow('(node:1) MaxListenersExceededWarning')}: 11 ${event} listeners added to [Connection]`,
        '     12 heap used 611 MB of 2048 MB',
        `      1 ${red('Killed')} (exit 137)`,
      ),
      search(`.on('${event}'`, 'src', `${file}:52:    connection.on('${event}', data => this.handle(client, data))`),
    ),
    work(
      {},
      read(
        file,
        '  attach(client: Client): void {',
        '    const connection = this.pool.get(client.room)',
        `    connection.on('${event}', data => this.handle(client, data))`,
        '    client.once("close", () => this.clients.delete(client))',
        '  }',
      ),
    ),
    work(
      {
        thinking:
          'The connection is shared and lives on; the listener closes over the client. So each client that ever connected is kept. Needs off() on close.',
        text: 'There. The connection outlives the client, and its listener holds on to the client for ever.',
      },
      edit(
        file,
        [
          `    connection.on('${event}', data => this.handle(client, data))`,
          '    client.once("close", () => this.clients.delete(client))',
        ],
        [
          '    const listen = (data: Buffer): void => this.handle(client, data)',
          `    connection.on('${event}', listen)`,
          "    client.once('close', () => {",
          `      connection.off('${event}', listen)`,
          '      this.clients.delete(client)',
          '    })',
        ],
      ),
      shell(
        'node --expose-gc scripts/churn.ts --clients 20000',
        'clients   heap',
        '      0   38 MB',
        '  10000   41 MB',
        '  20000   41 MB',
      ),
    ),
    answer(
      'Twenty thousand clients come and go and the heap stays at 41 MB.',
      'The warning had said it all along: 2,214 times "11 listeners added". I would make it an error in tests:',
      code(
        'ts',
        "process.on('warning', warning => {",
        "  if (warning.name === 'MaxListenersExceededWarning') throw warning",
        '})',
      ),
    ),
  ],
}))
