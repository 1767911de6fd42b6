import type { Page } from "playwright-core"

/** By the menu that most areas fold into on a phone. */
export const openArea = async (page: Page, name: string): Promise<void> => {
  const link = page.getByRole("link", { name, exact: true })
  if (!(await link.isVisible())) await page.getByText("Menu", { exact: true }).click()
  await link.click()
}
