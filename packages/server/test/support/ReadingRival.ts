/** The workspace `rival` as one that reads everything: by its keys, and by an operator with all rights there and no other. */
import { formatApiKey } from "@pointsman/core"
import { assert } from "vitest"
import type { CommandEnd } from "./CommandProcess.ts"
import { floodingKey } from "./FloodedServer.ts"

export const rivalLiveKey = formatApiKey("production", new Uint8Array(64).fill(15))

/** A partner. Its endpoint gets no event that the tests make. */
export const readingRival = {
  partner: { allowance: 10 },
  keys: [
    { environment: "sandbox", secret: floodingKey },
    { environment: "production", secret: rivalLiveKey }
  ],
  webhooks: [
    {
      ...{ environment: "sandbox", url: "https://rival.example/", events: ["dispute.lost"] },
      secret: "whsec_0123456789abcdef0123456789abcdef"
    }
  ]
}

/** `run`: a command on the server's storage; `grant`: its words about the role. Gives the cookie of the session. */
export const signInOperator = async (
  url: string,
  run: (words: ReadonlyArray<string>) => Promise<CommandEnd>,
  grant: ReadonlyArray<string>
): Promise<string> => {
  const added = await run(["operators", "add", "jo", ...grant, "--by", "root"])
  assert.strictEqual(added.code, 0, added.stderr)
  return signInByLink(url, await run(["operators", "link", "jo", "--by", "root"]))
}

/** `link`: the end of `pointsman operators link`. Gives the cookie of the session. */
export const signInByLink = async (url: string, { stdout }: CommandEnd): Promise<string> => {
  const signedIn = await fetch(`${url}/console/api/session/link`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ token: stdout.trim().split("/").at(-1) })
  })
  assert.strictEqual(signedIn.status, 200)
  return signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
}
