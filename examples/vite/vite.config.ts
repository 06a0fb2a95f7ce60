import cotangent from 'cotangent/vite'
import { defineConfig } from 'vite'

export default defineConfig({
  plugins: [cotangent()],
  // All that the page needs at first is in one file, so there is nothing to preload.
  build: { modulePreload: false },
})
