// Starts Chromium with WebGPU on any CPU: that of the environment variable CHROMIUM, or Debian's.
import process from 'node:process'
import { chromium } from 'playwright-core'

/** The browser; whoever asks for it closes it. */
export function launchChromium() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless=new',
      '--no-sandbox',
      '--enable-unsafe-webgpu',
      '--use-webgpu-adapter=swiftshader',
      '--enable-features=Vulkan',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
