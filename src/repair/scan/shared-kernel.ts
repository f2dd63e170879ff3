// The kernel of a thread, which its logs share.
import type { Field } from '../../bytes/scanner/fields.ts'
import type { Kernel } from '../../bytes/scanner/kernel.ts'
import type { Seeds } from '../../model/columns.ts'
import type { ShapeFacts } from '../records/record-shape.ts'
import { describeShape } from '../records/record-shape.ts'
import type { Describing } from './record-scanner.ts'

/** One kernel for all logs that are scanned in this thread. While one log waits for a part, another may use it. */
export class SharedKernel {
  readonly kernel: Kernel
  /** By the number of the shape. They stay valid from one log of a store to the next. */
  #shapes: (ShapeFacts | undefined)[] = []
  #user: object | undefined
  #described: Describing['describe'] | undefined

  constructor(kernel: Kernel) {
    this.kernel = kernel
  }

  isUsedBy(user: object): boolean {
    return this.#user === user
  }

  /** Prepares the kernel for a line that starts at `offset`. Returns the facts of the shapes. */
  use(
    user: object,
    fields: Field,
    seeds: Seeds,
    describe: Describing['describe'],
    offset: number,
  ): (ShapeFacts | undefined)[] {
    if (this.#user === user) this.kernel.skipTo(offset)
    else {
      const areKept = this.kernel.start(fields, seeds, offset)
      if (!areKept || this.#described !== describe) this.#shapes = []
      this.#described = describe
      this.#user = user
    }
    return this.#shapes
  }

  /** The next log starts from the beginning. */
  leave(): void {
    this.#user = undefined
  }

  /** Describes the shapes that the kernel has met since. */
  describeNew(shapes: (ShapeFacts | undefined)[], describe: Describing['describe']): void {
    for (let next = shapes.length; next < this.kernel.shapeCount; next++)
      shapes.push(describeShape(this.kernel.shape(next), describe))
  }
}
