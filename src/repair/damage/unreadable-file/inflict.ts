// Cuts or empties one message or part, replaces an escaped newline in it with a raw one, or writes it twice.

import type { Inflict } from '../damage.ts'
import { replaceBytes } from '../lines/break-lines.ts'
import { breakableFiles } from '../shared/trees.ts'

const ESCAPED = Buffer.from('\\n')

export const inflict: Inflict = (target, random) => {
  const files = breakableFiles(target, 'message', 'part')
  const file = files[random.below(files.length)]
  if (file === undefined) return undefined
  const bytes = target.read(file.file)
  const name = `${file.role} ${file.id}`
  const how = random.below(6)
  if (how === 0) {
    target.write(file.file, Buffer.concat([bytes, bytes]))
    return { what: `${name} written twice`, destroyed: 0 }
  }
  const escaped = bytes.indexOf(ESCAPED)
  if (how <= 2 && escaped !== -1 && bytes[escaped - 1] !== 0x5c) {
    target.write(file.file, replaceBytes(bytes, escaped, escaped + ESCAPED.length, '\n'))
    return { what: `a raw newline in ${name}`, destroyed: 0 }
  }
  // Without its last bracket the file is not JSON.
  const length = how === 3 ? 0 : random.below(bytes.lastIndexOf('}') + 1)
  target.write(file.file, bytes.subarray(0, length))
  return { what: `${name} cut after ${length} of ${bytes.length} bytes`, destroyed: 1 }
}
