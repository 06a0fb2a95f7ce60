import type { Browser } from 'playwright-core'

export declare function launchChromium(): Promise<Browser>
