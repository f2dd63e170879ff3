// Starts a process that outlives it and goes on writing into the store, as agents do whose own child is not killed with them.
import { resolve } from 'node:path'
import { locateProgram, startProgram } from '../../disk/processes/start-program.ts'
import { pathValue, program, words } from '../../model/program.ts'
import type { Fault } from './fault.ts'

export const ZOMBIE_LOG = 'zombie.log'

/** It ends by itself in the end, so that a test that fails leaves nothing running for ever. */
const LIFE_MS = 60_000
const PROGRAM = `
const { appendFileSync } = require('node:fs')
let count = 0
setInterval(() => appendFileSync(process.argv[1], process.pid + ' ' + ++count + '\\n'), 50)
setTimeout(() => process.exit(0), ${LIFE_MS})` as const

export const zombieChild: Fault = {
  name: 'zombie-child',
  start(firing) {
    if (firing.folder === undefined) throw new Error('zombie-child writes into the folder of --store: name one.')
    firing.fire()
    const list = words('-e', PROGRAM, pathValue(resolve(firing.folder, ZOMBIE_LOG)))
    const found = locateProgram(program(process.execPath, list), '/', process.env)
    if (found === undefined) throw new Error('There is no Node here.')
    startProgram(found, { stdio: 'ignore' }).unref()
  },
}
