// The picture of the playground that README.md shows. The test of the screenshots makes docs/playground.png of it: `-u` writes both anew.

/** Opens the playground of a served site, trains the picture of splats for a while, and gives a PNG. */
export async function picture(browser, address) {
  const context = await browser.newContext({ viewport: { width: 1200, height: 760 }, colorScheme: 'dark' })
  try {
    const page = await context.newPage()
    await page.goto(`${address}/playground/`)
    await page.waitForFunction(() => document.body.dataset['server'] === 'ready')
    await page.click('[data-testid="starter-splat2d"]')
    await page.waitForSelector('[data-testid="pane-train"]')
    await page.click('[data-testid="train"]')
    await page.waitForFunction(
      () => Number(document.querySelector('[data-testid="steps"]').textContent) > 200,
      undefined,
      { timeout: 60_000 },
    )
    await page.click('[data-testid="pause"]')
    await page.locator('.lens').first().waitFor()
    // The picture is that of the last step.
    await page.waitForFunction(() => {
      const drawn = document.querySelector('[data-testid="training-picture"]')?.dataset['step']
      return drawn === document.querySelector('[data-testid="steps"]').textContent
    })
    return await page.screenshot({ animations: 'disabled' })
  } finally {
    await context.close()
  }
}
