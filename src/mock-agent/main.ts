// The mock agent: a process that speaks ACP over standard input and output and needs no model.
// Tests and the demo use it.
import { openMockStore } from '../disk/state/mock-store.ts'
import { makeAgentApp } from './agent-app.ts'
import { ChosenFaults } from './chosen-faults.ts'
import type { Options } from './options.ts'
import { readOptions } from './options.ts'
import { Sessions } from './sessions.ts'
import { openWire } from './wire.ts'

const WRONG_USAGE = 2

const options = readFlags()
const store = options.store === undefined ? undefined : openMockStore(options.store)
const faults = new ChosenFaults(options.faults, options)
faults.start()
const app = makeAgentApp({ sessions: new Sessions(store), faults, abilities: options.abilities })
await app.connect(openWire(options.log, faults)).closed
// The client is gone. A prompt that still waits needs no answer.
process.exit(0)

function readFlags(): Options {
  try {
    return readOptions(process.argv.slice(2), process.env)
  } catch (error) {
    process.stderr.write(`mock agent: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(WRONG_USAGE)
  }
}
