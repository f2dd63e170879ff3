// What runs in place of an agent when a session of the demo is resumed. A text, as it is written into the demo's home and run from there.

/** Arguments: the name of the command, then what it was called with. Beside it lies a list of the demo's sessions and their files. */
export const STAND_IN_PROGRAM = String.raw`// A stand-in of the rethread demo: it shows how an agent would be started, and answers with your own words.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [command, ...args] = process.argv.slice(2)
const dim = text => '\u001b[2m' + text + '\u001b[22m'
const bold = text => '\u001b[1m' + text + '\u001b[22m'
const say = text => process.stdout.write(text + '\n')

say(bold(command) + ' is a stand-in of the rethread demo. The real one is not started, and nothing leaves this machine.')
say(dim('called with  ') + (args.length === 0 ? 'no arguments' : args.join(' ')))
say(dim('in           ') + process.cwd())
say(dim('session      ') + lookAtSession())
say('')
say('Type something, or "exit".')
process.stdout.write('> ')

let held = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', text => {
  const lines = (held + text).split('\n')
  held = lines.pop() ?? ''
  for (const line of lines) reply(line.trim())
})
process.stdin.on('end', () => process.exit(0))

function reply(line) {
  if (line === 'exit' || line === 'quit') {
    say('Bye.')
    process.exit(0)
  }
  if (line !== '') say('A real agent would now think about: ' + bold(line))
  process.stdout.write('> ')
}

function lookAtSession() {
  const list = JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), 'sessions.json'), 'utf8'))
  const known = list.find(({ id }) => args.includes(id))
  if (known === undefined) return 'a new one'
  try {
    return known.file + ', ' + count(readFileSync(known.file), known)
  } catch (error) {
    return known.file + ' could not be read: ' + error.message
  }
}

/** Not what the agent would load, only what is whole in the file. */
function count(bytes, { framing, messages }) {
  if (framing === 'json-lines') {
    const lines = bytes.toString().split('\n').filter(line => line !== '')
    return lines.filter(isJson).length + ' of ' + lines.length + ' lines are whole records'
  }
  if (framing === 'json-document') {
    if (!isJson(bytes.toString())) return 'which is no whole document'
    const found = Object.values(JSON.parse(bytes.toString())).find(Array.isArray) ?? []
    return found.length + ' messages found in it'
  }
  return 'made with ' + messages + ' messages'
}

function isJson(text) {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
`
