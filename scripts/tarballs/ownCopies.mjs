// A storage and a connector whose Effect is the copy in this folder, beside the one inside of @pointsman/node.
import { strictEqual } from "node:assert"
import { sandbox } from "@pointsman/connector-sandbox"
import { createPointsman } from "@pointsman/node"
import { memory } from "@pointsman/storage-memory"

const pointsman = await createPointsman({
  storage: memory(),
  connectors: [sandbox()],
  environment: "sandbox",
  log: () => {},
  workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
})
const { payment } = await pointsman.create({ amount: 1234, currency: "EUR", country: "NL" })
strictEqual(payment.status, "CAPTURED")
await pointsman.close()
console.log("taken")
