import react from '@vitejs/plugin-react'
import cotangent from 'cotangent/vite'
import { defineConfig } from 'vite'

export default defineConfig({ plugins: [cotangent(), react()] })
