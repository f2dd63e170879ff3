// The command line options of the mock agent.
import { parseArgs } from 'node:util'
import type { ChosenFault } from './chosen-faults.ts'
import { FAULTS } from './faults.ts'

const ABILITIES = ['load', 'resume', 'list', 'fork', 'close', 'delete'] as const
export type Ability = (typeof ABILITIES)[number]

export interface Options {
  /** The folder of the stored sessions; undefined to hold them in memory only. */
  store: string | undefined
  abilities: ReadonlySet<Ability>
  faults: ChosenFault[]
  /** While this file exists, no fault happens. */
  faultOnce: string | undefined
  /** The file that logs every received line. */
  log: string | undefined
}

const FAULTS_VARIABLE = 'MOCK_AGENT_FAULTS'

/** Throws an error whose message names the wrong option. */
export function readOptions(args: string[], variables: Record<string, string | undefined>): Options {
  const { values } = parseArgs({
    args,
    options: {
      store: { type: 'string' },
      without: { type: 'string', multiple: true, default: [] },
      fault: { type: 'string', multiple: true, default: [] },
      'fault-once': { type: 'string' },
      log: { type: 'string' },
    },
  })
  const named = [...values.fault, ...(variables[FAULTS_VARIABLE] ?? '').split(',').filter(name => name !== '')]
  const without = values.without.map(readAbility)
  return {
    store: values.store,
    abilities: new Set(values.store === undefined ? [] : ABILITIES.filter(ability => !without.includes(ability))),
    faults: named.map(readFault),
    faultOnce: values['fault-once'],
    log: values.log,
  }
}

function readAbility(name: string): Ability {
  const known = ABILITIES.find(ability => ability === name)
  if (known === undefined) throw new Error(`--without takes one of ${ABILITIES.join(', ')}, not "${name}".`)
  return known
}

/** `NAME` or `NAME=ARGUMENT`. */
function readFault(text: string): ChosenFault {
  const [name = '', argument = ''] = text.trim().split('=')
  const fault = FAULTS.find(one => one.name === name)
  if (fault === undefined)
    throw new Error(`--fault takes one of ${FAULTS.map(one => one.name).join(', ')}, not "${name}".`)
  return { fault, argument }
}
