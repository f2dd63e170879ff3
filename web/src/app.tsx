// The page: list, conversation and health side by side, or one at a time on a narrow screen.
export function App() {
  return <main>rethread</main>
}
