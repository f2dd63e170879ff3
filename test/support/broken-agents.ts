// Agents of a configuration file that fail, each in its own way, at the first thing they are asked.
import { chmodSync } from 'node:fs'
import { put } from './home.ts'

/** Answers `initialize`, then whatever it is asked with this. */
const ANSWERING = `while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\\([0-9]*\\).*/\\1/p')
  case "$line" in
    *'"method":"initialize"'*) printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":1}}\\n' "$id" ;;
    *) printf '{"jsonrpc":"2.0","id":%s,ANSWER}\\n' "$id" ;;
  esac
done`

const answering = (answer: string) => ({ command: 'sh', args: ['-c', ANSWERING.replace('ANSWER', answer)] })

export const BROKEN_AGENTS = {
  absent: { command: '/nowhere/agent' },
  'not-a-program': { command: 'NOT_A_PROGRAM' },
  'ends-at-once': { command: 'sh', args: ['-c', 'echo no license found >&2; exit 3'] },
  'is-killed': { command: 'sh', args: ['-c', 'kill -9 $$'] },
  'says-garbage': { command: 'sh', args: ['-c', 'echo "Welcome! {"; echo "[1,2"; printf "\\377\\376\\n"; exit 0'] },
  'echoes-all': { command: 'cat' },
  'tells-no-id': answering('"result":{}'),
  'answers-null': answering('"result":null'),
  refuses: answering('"error":{"code":-32603,"message":"Internal error","data":{"details":"quota exceeded"}}'),
  'wants-login': answering('"error":{"code":-32000,"message":"Authentication required"}'),
  'errs-strangely': answering('"error":{"code":1,"message":""}'),
} as const

export type BrokenAgent = keyof typeof BROKEN_AGENTS

/** Below this home; returns the file. */
export function putBrokenAgents(home: string): string {
  const program = put(home, 'not-a-program', '#!/nowhere/interpreter\n')
  chmodSync(program, 0o755)
  const agents = JSON.stringify({ agents: BROKEN_AGENTS }).replace('NOT_A_PROGRAM', program)
  return put(home, '.config/rethread/config.json', agents)
}
