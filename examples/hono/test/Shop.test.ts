import { fileURLToPath } from "node:url"
import { it } from "vitest"
import { tryShop } from "../../express/test/support/ShopProcess.ts"

it("given the shop, when an order is paid and sent again, then it was paid once", () =>
  tryShop(fileURLToPath(new URL("../src/main.ts", import.meta.url))))
