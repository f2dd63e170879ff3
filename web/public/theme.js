// Before the first paint, so that nobody sees the wrong theme flash by.
try {
  const chosen = localStorage.getItem('rethread.theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {
  // A browser that keeps nothing follows the system.
}
