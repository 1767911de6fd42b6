/** An operator who uses a sign-in link and refunds a payment. The consoles of the other frameworks are visited with it too. */
import { assert } from "vitest"

type Ask = (url: string, init: RequestInit) => Promise<Response>

/** Uses the link of the operator `jo`, and gives one unit back of a payment whose reference is `1001`. */
export const tryConsole = async (link: string, ask: Ask = (url, init) => fetch(url, init)): Promise<void> => {
  let cookie = ""
  const send = async (url: string, form?: Readonly<Record<string, string>>): Promise<Response> => {
    const headers = { cookie, origin: new URL(link).origin }
    const posted = form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) }
    const answer = await ask(new URL(url, link).href, { ...posted, headers, redirect: "manual" })
    cookie = answer.headers.getSetCookie()[0]?.split(";", 1)[0] ?? cookie
    return answer
  }
  const locationOf = (answer: Response): string => {
    assert.strictEqual(answer.status, 303)
    return answer.headers.get("location") ?? ""
  }
  const textOf = async (url: string): Promise<string> => {
    const answer = await send(url)
    return answer.status === 303 ? textOf(locationOf(answer)) : answer.text()
  }
  assert.include(await textOf(link), "The link works once.")
  const start = locationOf(await send(link, {}))
  assert.match(start, /\/day$/u)
  const page = await textOf(start.replace(/day$/u, "payments"))
  assert.include(page, ">jo</a>")
  const [, payment = ""] = /<a href="([^"]+)">1001<\/a>/u.exec(page) ?? []
  const refund = locationOf(await send(`${payment}/refund`))
  const key = new URL(refund, link).searchParams.get("key") ?? ""
  const done = locationOf(await send(`${payment}/refund`, { key, amount: "1.00", reason: "a cracked lid" }))
  assert.match(done, /notice=refunded/u)
  assert.include(await textOf(done), "a cracked lid")
  assert.strictEqual((await send(link, {})).status, 401)
}
