// rethread import
import type { CommandDefinition } from '../command.ts'
import { EXIT } from '../exit-status.ts'
import { plural } from '../print/words.ts'

export const importCommand: CommandDefinition = {
  name: 'import',
  arguments: '<file>',
  summary: 'Import the conversations of a sandbox-agent database into the journal',
  options: [],
  help: `Reads the sessions, events and metadata of a database that sandbox-agent or its SDK wrote, and adds
them to the journal, where they can be read and continued. The database itself stays as it is. A
second import adds only sessions that are new. A server that is started with OPENCODE_COMPAT_DB_PATH
does the same by itself, into a journal beside that file.

Examples:
  rethread import ~/sandbox-agent/opencode-sessions.db
  rethread import sessions.db --journal ~/notes/journal.sqlite`,
  async run(invocation) {
    const { resolve } = await import('node:path')
    const { openConversationParts } = await import('../../journal/agent-files/open-conversations.ts')
    const { importForeign } = await import('../../journal/import/index.ts')
    const context = await invocation.context()
    const { store } = await openConversationParts(context)
    try {
      const imported = await importForeign(resolve(invocation.args[0] ?? ''), store)
      const { cleanJson } = await import('../print/clean.ts')
      if (invocation.isJson)
        await invocation.output.write(`${cleanJson({ ...imported, journal: context.journal }, 2)}\n`)
      else await invocation.output.write(describe(imported, context.journal))
      return EXIT.fine
    } finally {
      await store.close()
    }
  },
}

function describe(
  { sessions, events, known, skipped }: { sessions: number; events: number; known: number; skipped: number },
  journal: string,
): string {
  const lines = [
    `Imported ${plural(sessions, 'session')} with ${plural(events, 'event')} into ${journal}.`,
    ...(known === 0
      ? []
      : [`${plural(known, 'session')} of the file ${known === 1 ? 'was' : 'were'} in the journal already.`]),
    ...(skipped === 0
      ? []
      : [`${plural(skipped, 'row')} could not be read and ${skipped === 1 ? 'is' : 'are'} left out.`]),
  ]
  return `${lines.join('\n')}\n`
}
