import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { Fit } from './Fit.tsx'

/** Points near the line y = 0.6 · x - 0.3: x, y, x, y, … */
const points = new Float32Array(200)
for (let i = 0; i < 100; i++) {
  const x = Math.random() * 2 - 1
  points.set([x, 0.6 * x - 0.3 + (Math.random() - 0.5) / 4], 2 * i)
}

function App() {
  const [rate, setRate] = useState(0.05)
  return (
    <main style={{ fontFamily: 'system-ui', maxWidth: '30rem', margin: 'auto' }}>
      <h1>Fit a line</h1>
      <label>
        Rate{' '}
        <input
          type="range"
          min="0.01"
          max="0.2"
          step="0.01"
          value={rate}
          onChange={event => setRate(Number(event.target.value))}
        />{' '}
        {rate}
      </label>
      <Fit points={points} rate={rate} />
    </main>
  )
}

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
