// Which links of a terminal may be opened: web pages only, and only by a deliberate click.

/** The normalised address; undefined if it is not a web page. */
export function safeAddress(text: string): string | undefined {
  try {
    const address = new URL(text)
    return address.protocol === 'http:' || address.protocol === 'https:' ? address.href : undefined
  } catch {
    return undefined
  }
}

export function openLink(event: MouseEvent, text: string): void {
  const address = safeAddress(text)
  if (address === undefined || !(event.ctrlKey || event.metaKey)) return
  event.preventDefault()
  window.open(address, '_blank', 'noopener,noreferrer')
}
