// Chooses the token of a server: from the environment, a file or an argument, otherwise the token in the
// state folder.
import { RethreadError } from '../model/errors.ts'
import type { Invocation } from './command.ts'
import { textOption } from './command.ts'

const VARIABLE = 'RETHREAD_TOKEN'
/** For a server that other machines can reach: too long to guess. */
const MIN_TOKEN_LENGTH = 16
/** The characters that a client can send in a header. */
const SENDABLE = /^[\x21-\x7e]+$/

export const TOKEN_OPTIONS = [
  {
    flags: '--token-file <file>',
    description: `Read the token from this file (chmod 600); default: ${VARIABLE} or the state folder`,
  },
  {
    flags: '--token <secret>',
    description: `Pass the token itself; everybody can see it in the process list, so prefer ${VARIABLE}`,
  },
]

/** Removes the token from the environment, so that programs started from here do not get it. */
export function takeToken(variables: NodeJS.ProcessEnv = process.env): string | undefined {
  const token = variables[VARIABLE]
  delete variables[VARIABLE]
  return token === '' ? undefined : token
}

export interface ChosenToken {
  token: string
  /** The token in the state folder, which other commands of the same user know too. */
  isOwn: boolean
}

export async function chooseToken(invocation: Invocation, host: string): Promise<ChosenToken> {
  const given = await givenToken(invocation)
  const { isLoopback } = await import('../server/auth.ts')
  if (!isLoopback(host) && (given === undefined || given.length < MIN_TOKEN_LENGTH))
    throw wrong(
      `Others can reach ${host}: that needs a token of your own, of ${MIN_TOKEN_LENGTH} characters or more.`,
      `${VARIABLE}="$(openssl rand -hex 16)" rethread serve --host ${host}`,
    )
  if (given !== undefined) return { token: given, isOwn: false }
  const { ownToken } = await import('../disk/state/token-file.ts')
  return { token: ownToken((await invocation.context()).state).token, isOwn: true }
}

async function givenToken(invocation: Invocation): Promise<string | undefined> {
  const [argument, file] = [textOption(invocation, 'token'), textOption(invocation, 'tokenFile')]
  if (argument !== undefined && file !== undefined)
    throw wrong('--token and --token-file are both given.', 'Give one of them.')
  if (argument !== undefined) {
    invocation.output.remark(
      `Warning: everybody on this machine can read --token in the list of processes. Use ${VARIABLE} or --token-file.`,
    )
    return requireSendable(argument, '--token')
  }
  if (file !== undefined) return await readFile(invocation, file)
  return invocation.token === undefined ? undefined : requireSendable(invocation.token, VARIABLE)
}

async function readFile({ output }: Invocation, file: string): Promise<string> {
  const { readTokenFile } = await import('../disk/state/token-file.ts')
  const { quote } = await import('../disk/files/system-errors.ts')
  const { token, isShared } = readTokenFile(file)
  if (isShared) output.remark(`Warning: others can read ${file}. Keep it to yourself: chmod 600 ${quote(file)}`)
  return requireSendable(token, file)
}

function requireSendable(token: string, source: string): string {
  if (token === '') throw wrong(`${source} is empty. A token is required.`, MAKE_ONE)
  if (SENDABLE.test(token)) return token
  throw wrong(`The token in ${source} contains characters that no client can send: use visible ASCII only.`, MAKE_ONE)
}

const MAKE_ONE = `Make one: ${VARIABLE}="$(openssl rand -hex 16)" rethread serve`

function wrong(text: string, hint: string): RethreadError {
  return new RethreadError({ code: 'usage', text, hint })
}
