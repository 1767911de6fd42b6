import { createServer, type Server } from "node:http"
import { assert, it, onTestFinished } from "vitest"
import { call } from "../src/Client.ts"
import { startFront } from "../src/Front.ts"

/** Answers with its name; gives how often it was asked. */
const named = (
  name: string
): Promise<{ readonly port: number; readonly asked: () => number; readonly server: Server }> =>
  new Promise((resolve) => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.end(JSON.stringify({ data: name }))
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve({ server, port: Object(address).port, asked: () => asked })
    })
    onTestFinished(() => void server.close())
  })

it("the requests of a dying server are cut and not sent to the other", async () => {
  const [one, other] = [await named("one"), await named("other")]
  const front = await startFront([one.port, other.port])
  onTestFinished(front.close)
  const ask = async () => (await call(front.url, "key", "GET", "/")).body.data
  assert.deepStrictEqual([await ask(), await ask(), await ask(), await ask()], ["one", "other", "one", "other"])

  await new Promise((resolve) => one.server.close(resolve))
  const answers = await Promise.allSettled([ask(), ask(), ask(), ask()])
  assert.strictEqual(answers.filter(({ status }) => status === "rejected").length, 2)
  assert.deepStrictEqual([one.asked(), other.asked()], [2, 4])
})
