// The entry point of the page.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app.tsx'
import { connect } from './state/socket.ts'
import { followAddress } from './state/view.ts'
import './styles.css'

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no root element.')
followAddress()
connect()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
