// rethread name, pin, unpin, tag, untag, hide and unhide: what a person adds to a conversation.

import { RethreadError } from '../../model/errors.ts'
import type { LabelChange } from '../../model/label.ts'
import type { CommandDefinition, Invocation } from '../command.ts'
import { isOn } from '../command.ts'
import type { ExitStatus } from '../exit-status.ts'
import { EXIT } from '../exit-status.ts'

const KEPT = 'rethread keeps this in its own folder. The files of the agent are not changed.'

export const nameCommand: CommandDefinition = {
  name: 'name',
  arguments: '<session> [title...]',
  summary: 'Give a conversation a name of your own',
  options: [{ flags: '--clear', description: "Remove the name, and show the agent's title again" }],
  help: `The name is shown instead of the title, here and on the page, and is found by a search.
${KEPT}

Examples:
  rethread name 3a51537a Price field for the cart
  rethread name 3a51537a --clear`,
  async run(invocation) {
    const [session = '', ...words] = invocation.args
    const isCleared = isOn(invocation, 'clear')
    if (isCleared === words.length > 0)
      throw usage('Specify a name, or --clear to remove it.', 'rethread name 3a51537a Price field for the cart')
    return await change(invocation, [session], { name: isCleared ? null : words.join(' ') })
  },
}

export const pinCommand = marking('pin', 'Pin conversations: the page lists them first', { isPinned: true })
export const unpinCommand = marking('unpin', 'Remove the pin of conversations', { isPinned: false })
export const hideCommand = marking('hide', 'Hide conversations from the list and the page', { isHidden: true })
export const unhideCommand = marking('unhide', 'List hidden conversations again', { isHidden: false })
export const tagCommand = tagging('tag', 'Add tags to a conversation', 'addTags')
export const untagCommand = tagging('untag', 'Remove tags from a conversation', 'removeTags')

function marking(name: string, summary: string, wanted: LabelChange): CommandDefinition {
  return {
    name,
    arguments: '<session...>',
    summary,
    options: [],
    help: `"rethread list --pinned" and "rethread list --hidden" list what is marked.
${KEPT}

Examples:
  rethread ${name} 3a51537a`,
    run: invocation => change(invocation, invocation.args, wanted),
  }
}

function tagging(name: string, summary: string, field: 'addTags' | 'removeTags'): CommandDefinition {
  return {
    name,
    arguments: '<session> <tags...>',
    summary,
    options: [],
    help: `Case, a leading # and spaces make no difference. "rethread list --tag TAG" lists what has a tag.
${KEPT}

Examples:
  rethread ${name} 3a51537a billing needs-review`,
    async run(invocation) {
      const [session = '', ...tags] = invocation.args
      return await change(invocation, [session], { [field]: tags })
    },
  }
}

async function change(invocation: Invocation, names: readonly string[], wanted: LabelChange): Promise<ExitStatus> {
  const { makeSessionFinder } = await import('../../catalog/find-one.ts')
  const { changeLabels } = await import('../../disk/state/labels.ts')
  const { withLabel } = await import('../../model/label.ts')
  const { cleanJson, cleanLine } = await import('../print/clean.ts')
  const context = await invocation.context()
  const finder = await makeSessionFinder(context)
  const found = names.map(name => finder.byName(name))
  const labels = changeLabels(context.state, found, wanted)
  const sessions = found.map(session => {
    const { agent, sessionId, title = null } = session
    return withLabel({ agent, sessionId, title }, labels.get(session))
  })
  const { output, isJson } = invocation
  if (isJson) await output.write(`${cleanJson({ sessions }, 2)}\n`)
  else
    for (const { sessionId, title, pinned, hidden, tags = [] } of sessions) {
      const marks = [
        ...(pinned === true ? ['pinned'] : []),
        ...(hidden === true ? ['hidden'] : []),
        ...tags.map(tag => `#${tag}`),
      ]
      const words = [
        sessionId,
        ...(title === null ? [] : [title]),
        marks.length === 0 ? 'not marked' : marks.join(', '),
      ]
      await output.write(`${words.map(cleanLine).join(' · ')}\n`)
    }
  return EXIT.fine
}

function usage(text: string, example: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint: `For example: ${example}` })
}
