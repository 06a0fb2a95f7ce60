import cotangent from 'cotangent/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [cotangent()] })
