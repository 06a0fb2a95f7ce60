import type { Browser } from 'playwright-core'

export declare function picture(browser: Browser, address: string): Promise<Buffer>
