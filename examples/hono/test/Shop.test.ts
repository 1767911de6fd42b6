import { fileURLToPath } from "node:url"
import { it } from "vitest"
import { tryShop } from "../../express/test/support/ShopProcess.ts"

it("an order that is sent again was paid once", () =>
  tryShop(fileURLToPath(new URL("../src/main.ts", import.meta.url))))
