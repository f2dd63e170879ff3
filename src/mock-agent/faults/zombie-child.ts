// Starts a process that outlives it and goes on writing into the store, as agents do whose own child is not killed with them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Fault } from './fault.ts'

export const ZOMBIE_LOG = 'zombie.log'

/** It ends by itself in the end, so that a test that fails leaves nothing running for ever. */
const LIFE_MS = 60_000
const PROGRAM = `
const { appendFileSync } = require('node:fs')
let count = 0
setInterval(() => appendFileSync(process.argv[1], process.pid + ' ' + ++count + '\\n'), 50)
setTimeout(() => process.exit(0), ${LIFE_MS})`

export const zombieChild: Fault = {
  name: 'zombie-child',
  start(firing) {
    if (firing.folder === undefined) throw new Error('zombie-child writes into the folder of --store: name one.')
    firing.fire()
    const args = ['-e', PROGRAM, join(firing.folder, ZOMBIE_LOG)]
    spawn(process.execPath, args, { stdio: 'ignore' }).unref()
  },
}
