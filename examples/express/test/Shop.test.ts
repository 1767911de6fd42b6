import { fileURLToPath } from "node:url"
import { it } from "vitest"
import { shopFolder, tryShop } from "./support/ShopProcess.ts"

it("each order of the shop is paid once, before and after a restart", async () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const folder = shopFolder()
  await tryShop(main, folder)
  // Every key is known again, so that a second round finds exactly what the first one left.
  await tryShop(main, folder)
})
