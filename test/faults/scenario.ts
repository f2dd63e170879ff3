// What the tests of kills and failures share: the kinds of repair, and what must be true after any of them.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { applyChanges } from '../../src/disk/vault/apply.ts'
import type { Receipt } from '../../src/disk/vault/receipt.ts'
import { listReceipts } from '../../src/disk/vault/receipts.ts'
import { listUnfinished } from '../../src/disk/vault/stored-vaults.ts'
import type { Change } from '../../src/model/plan.ts'
import { CALL_STEP, killAt, quickHome } from '../support/faults.ts'
import {
  addition,
  edit,
  patch,
  putSession,
  remove,
  type Session,
  strangersBeside,
  text,
  write,
} from '../support/repairs.ts'

/** Repairs of a log, to which an agent may append at any time. */
export const LOG_REPAIRS: Record<string, (file: string) => Change> = {
  'in place': file => patch(file, edit(file, 'aaaa', 'zzzz'), edit(file, 'bbbb', 'yyyy'), edit(file, 'cccc', 'xxxx')),
  'that changes the length': file => patch(file, edit(file, 'aaaa', ''), edit(file, 'bbbb', 'much longer')),
  'that adds at the end': file => patch(file, addition(file, '{"n":4}\n')),
}

export const REPAIRS: Record<string, (file: string) => Change> = {
  ...LOG_REPAIRS,
  'that removes a file': file => remove(file),
  'that writes a file again': file => write(file, '{"all":"new"}\n'),
}

/** What is at the path, in a form that can be compared. */
export function contentOf(file: string): string {
  return statSync(file, { throwIfNoEntry: false }) === undefined ? 'nothing' : text(file)
}

export function expectTidy({ state, file }: Session): void {
  expect(strangersBeside(file)).toEqual([])
  expect(listUnfinished(state)).toEqual([])
}

export function lastReceipt({ state }: Session): Receipt | undefined {
  return listReceipts(state).receipts[0]?.receipt
}

/** The repair, killed at its first writing call, then again at its second, and so on until it comes to its end; `then` is the next process. */
export async function killAtEachCall(
  changeOf: (file: string) => Change,
  then: (session: Session, before: string, call: string) => Promise<void>,
): Promise<void> {
  const home = quickHome()
  for (let at = 1, isDone = false; !isDone; at += CALL_STEP) {
    const session = putSession(join(home, String(at)))
    const before = text(session.file)
    const request = session.request([changeOf(session.file)])
    const fault = killAt(at, 'half')
    isDone = await succeeds(applyChanges(request))
    fault.lift()
    await then(session, before, `call ${at}`)
  }
}

export async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  )
}
