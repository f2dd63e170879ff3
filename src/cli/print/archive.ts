// Prints what a check, a repair or an import of the archive found.
import type { ArchiveCheck } from '../../archive/check.ts'
import type { ArchiveRepair } from '../../archive/repair.ts'
import type { Context } from '../../catalog/context.ts'
import type { Imported } from '../../catalog/import-archive.ts'
import type { Invocation } from '../command.ts'
import { cleanJson, cleanLine } from './clean.ts'
import { printFailures } from './list.ts'
import { plural } from './words.ts'

export async function printArchiveCheck({ output, isJson }: Invocation, found: ArchiveCheck): Promise<void> {
  if (isJson) return await output.write(`${cleanJson(found, 2)}\n`)
  const { sessions, segments, points, damaged } = found
  await output.write(
    `${plural(sessions, 'session')}, ${plural(points, 'restore point')}, ${plural(segments, 'file')} verified.\n`,
  )
  for (const { session, chain, damage, points: lost } of damaged) {
    const name = session === undefined ? `chain ${chain}` : `${session.agent} ${session.sessionId}`
    await output.write(
      `${output.style('bad', '✗')} ${cleanLine(name)}: ${plural(lost.length, 'restore point')} affected\n`,
    )
    for (const { text } of damage) await output.write(`  ${cleanLine(text)}\n`)
  }
  await output.write(damaged.length === 0 ? 'Everything is whole.\n' : 'Keep what is good: rethread archive repair\n')
}

export async function printArchiveRepair({ output, isJson }: Invocation, repaired: ArchiveRepair): Promise<void> {
  if (isJson) return await output.write(`${cleanJson(repaired, 2)}\n`)
  if (repaired.repaired === 0) return await output.write('Nothing is damaged.\n')
  await output.write(`${plural(repaired.repaired, 'session')} repaired.\n`)
  for (const { session, chain, points } of repaired.lost) {
    const name = session === undefined ? `chain ${chain}` : `${session.agent} ${session.sessionId}`
    await output.write(
      `${output.style('bad', '✗')} ${cleanLine(name)}: content of ${plural(points.length, 'restore point')} is lost\n`,
    )
  }
  for (const path of repaired.setAside) await output.write(`Set aside: ${cleanLine(path)}\n`)
  await output.write('Copy again what the agents still have: rethread archive\n')
}

export async function printArchiveImport(
  { output, isJson }: Invocation,
  context: Context,
  imported: Imported,
): Promise<void> {
  if (isJson) return await output.write(`${cleanJson(imported, 2)}\n`)
  const { sessions, added, known, beside } = imported
  await output.write(
    `${plural(sessions, 'session')} found: ${added} added, ${known} known already${beside > 0 ? `, ${beside} kept beside a different one` : ''}.\n`,
  )
  printFailures(output, context, imported.failures)
}
