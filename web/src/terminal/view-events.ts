// The events of a terminal view for its pane.
export interface Size {
  cols: number
  rows: number
}

export interface ViewEvents {
  input(data: string): void
  /** The size of its room, whenever it changes. Not called before it is mounted. */
  size(size: Size): void
  focus(): void
  /** Returns true if the pane handled the key. */
  key(event: KeyboardEvent): boolean
  /** Output arrives faster than it can be drawn. None is accepted until `caughtUp`. */
  behind(): void
  caughtUp(): void
}
