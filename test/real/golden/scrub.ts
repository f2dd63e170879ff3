// What of a recorded journal is of the machine it was recorded on, or too long to be looked at, is taken out of it.
import { homedir, hostname } from 'node:os'
import { dirname, join } from 'node:path'

export interface Place {
  home: string
  installed: string
  /** Of the model server. */
  port: number
}

export type Scrub = (value: unknown) => unknown

const MAX_CHARS = 400
/** Of what an agent says of its commands, modes and models, and of the list of them. */
const MAX_DESCRIPTION_CHARS = 24
const MAX_ITEMS = 6

const ROOT = join(import.meta.dirname, '..', '..', '..')

export function makeScrub({ home, installed, port }: Place): Scrub {
  const names: [string, string][] = [
    ...inAllForms(home, '/home/person'),
    ...inAllForms(installed, '/opt/agents'),
    ...inAllForms(dirname(process.execPath), '/opt/node/bin'),
    ...inAllForms(ROOT, '/opt/rethread'),
    ...inAllForms(homedir(), '/home/person'),
    [`127.0.0.1:${port}`, '127.0.0.1:1'],
    [hostname(), 'machine'],
  ]
  const scrubText = (text: string, maxChars = MAX_CHARS): string => {
    const plain = names.reduce((all, [own, name]) => all.replaceAll(own, name), text)
    return plain.length <= maxChars ? plain : `${plain.slice(0, maxChars)}…`
  }
  const scrubField = ([name, value]: [string, unknown]): [string, unknown] => [
    scrubText(name),
    name === 'description' && typeof value === 'string' ? scrubText(value, MAX_DESCRIPTION_CHARS) : scrub(value),
  ]
  const scrub: Scrub = value => {
    if (typeof value === 'string') return scrubText(value)
    if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map(scrub)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(scrubField))
  }
  return scrub
}

/** As it is, and as agents make names of folders of it. */
function inAllForms(path: string, name: string): [string, string][] {
  return [
    [path, name],
    [path.replaceAll(/[^a-zA-Z0-9]/g, '-'), name.replaceAll('/', '-')],
  ]
}
