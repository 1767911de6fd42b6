// A storage and a connector of Effect 3: both are refused, in words.
import { match, rejects } from "node:assert"
import { createPointsman } from "@pointsman/node"
import { memory } from "@pointsman/node/memory"
import { sandbox } from "@pointsman/node/sandbox"
import { Either, Layer } from "effect-3"

const settings = {
  environment: "sandbox",
  log: () => {},
  workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
}
const refused = (error) => {
  match(error.message, /another version of Effect/u)
  return error.code === "wrong_settings"
}
const storage = { name: "old", lasts: false, "~pointsman/storage": Layer.empty }
await rejects(createPointsman({ ...settings, storage, connectors: [sandbox()] }), refused)
const old = { name: "sandbox", environments: ["sandbox"], supports: {}, connect: () => Either.left("nothing") }
await rejects(createPointsman({ ...settings, storage: memory(), connectors: [old] }), refused)
console.log("refused")
