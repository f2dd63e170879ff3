// What a terminal on the screen tells its pane.
export interface Size {
  cols: number
  rows: number
}

export interface ViewEvents {
  input(data: string): void
  /** Of the room it has, whenever that changes; not before it is on the screen. */
  size(size: Size): void
  focus(): void
  /** True where the key was meant for the pane and not for what runs in it. */
  key(event: KeyboardEvent): boolean
  /** More has come than can be drawn: nothing is taken until `caughtUp`. */
  behind(): void
  caughtUp(): void
}
