// A backend in CommonJS: `require` of packages that are ECMAScript modules alone.
const { strictEqual } = require("node:assert")
const { sandbox } = require("@pointsman/node/sandbox")
const { createPointsman } = require("@pointsman/node")
const { memory } = require("@pointsman/node/memory")

const pay = async () => {
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
}
pay()
