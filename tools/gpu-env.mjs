// Where a process finds a WebGPU device: Debian's chromium brings a Vulkan loader and a driver that need no GPU.
import { existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const chromium = '/usr/lib/chromium'

/** The environment of such a process: that of this one, and the driver of chromium unless it names another. */
export function gpuEnv() {
  const env = { ...process.env, XDG_RUNTIME_DIR: process.env.XDG_RUNTIME_DIR ?? mkdtempSync(join(tmpdir(), 'xdg-')) }
  const driver = `${chromium}/vk_swiftshader_icd.json`
  if ((env.VK_ICD_FILENAMES ?? driver) === driver && existsSync(driver)) {
    env.VK_ICD_FILENAMES = driver
    env.LD_LIBRARY_PATH = [env.LD_LIBRARY_PATH, chromium].filter(p => p !== undefined && p !== '').join(':')
  }
  return env
}
