import { fileURLToPath } from "node:url"
import { it } from "vitest"
import { shopFolder, tryShop } from "./support/ShopProcess.ts"

it("given the shop, when orders come, before and after a restart, then each is paid once", async () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const folder = shopFolder()
  await tryShop(main, folder)
  // Every key is known again, so that a second round finds exactly what the first one left.
  await tryShop(main, folder)
})
