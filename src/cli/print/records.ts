// Prints the stored records behind the messages: the exact bytes in a pipe, safe text in a terminal.
import type { Context } from '../../catalog/context.ts'
import { openStored } from '../../catalog/stored.ts'
import type { Place } from '../../model/message.ts'
import type { ReadingEnd } from '../../model/reading.ts'
import type { SessionRef } from '../../model/session.ts'
import type { ShowOptions } from '../arguments/show-options.ts'
import { readSelected } from '../arguments/show-options.ts'
import { cleanText } from './clean.ts'
import type { Output } from './output.ts'
import { describePlace } from './words.ts'

/** The byte range of a message can contain the records of its neighbours, which are not printed again. */
const MAX_REMEMBERED = 64

export async function printRecords(
  output: Output,
  context: Context,
  session: SessionRef,
  options: ShowOptions,
): Promise<ReadingEnd> {
  const reading = readSelected(context, session, options)
  const stored = await openStored(context, session)
  const printed: Place[] = []
  const print = async (place: Place): Promise<void> => {
    if (printed.some(before => contains(before, place))) return
    printed.push(place)
    if (printed.length > MAX_REMEMBERED) printed.shift()
    const bytes = await stored.read(place)
    await output.writeBytes(output.isTerminal ? Buffer.from(cleanText(bytes.toString('utf8'))) : bytes)
    await output.write('\n')
  }
  try {
    let step = await reading.next()
    for (; !step.done; step = await reading.next()) await print(step.value.at)
    for (const finding of step.value.findings) {
      if (finding.severity === 'survived') continue
      output.remark(`--- not read: ${finding.damage}, ${describePlace(finding.at)}`)
      await print(finding.at)
    }
    return step.value
  } finally {
    stored.close()
  }
}

function contains(outer: Place, inner: Place): boolean {
  if ('table' in outer || 'table' in inner) return false
  return outer.file === inner.file && outer.start <= inner.start && inner.end <= outer.end
}
