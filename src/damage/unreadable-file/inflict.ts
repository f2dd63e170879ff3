// Cuts or empties one message or part.
import type { Inflict } from '../damage.ts'
import { breakableFiles } from '../trees.ts'

export const inflict: Inflict = (target, random) => {
  const files = breakableFiles(target, 'message', 'part')
  const file = files[random.below(files.length)]
  if (file === undefined) return undefined
  const bytes = target.read(file.file)
  // Without its last bracket it is no JSON any more.
  const length = random.below(3) === 0 ? 0 : random.below(bytes.lastIndexOf('}') + 1)
  target.write(file.file, bytes.subarray(0, length))
  return {
    what: `${file.role} ${file.id} cut after ${length} of ${bytes.length} bytes`,
    destroyed: 1,
  }
}
