/** A browser without pages: it follows no redirect by itself, keeps the cookie, and says where a form comes from. */
import { assert } from "vitest"

export type Ask = (url: string, init: RequestInit) => Promise<Response>

export interface Visited {
  readonly status: number
  readonly location: string | null
  readonly headers: Headers
  readonly text: string
}

export const visitor = (ask: Ask = (url, init) => fetch(url, init)) => {
  let cookie: string | undefined
  const send = async (url: string, init: RequestInit = {}): Promise<Visited> => {
    const headers = new Headers(init.headers)
    if (cookie !== undefined) headers.set("cookie", cookie)
    if (init.method === "POST") headers.set("origin", new URL(url).origin)
    const answer = await ask(url, { ...init, headers, redirect: "manual" })
    const [set] = answer.headers.getSetCookie()
    if (set !== undefined) cookie = set.split(";", 1)[0]
    return {
      status: answer.status,
      location: answer.headers.get("location"),
      headers: answer.headers,
      text: await answer.text()
    }
  }
  const post = (url: string, form: Readonly<Record<string, string>> = {}) =>
    send(url, { method: "POST", body: new URLSearchParams(form) })
  return {
    get: (url: string) => send(url),
    post,
    send,
    /** Uses a link, and goes where it leads; gives the page at the end. */
    signIn: async (link: string): Promise<Visited> => {
      const form = await send(link)
      assert.include(form.text, "The link works once.")
      let answer = await post(link)
      for (let count = 0; answer.status === 303 && count < 5; count++) {
        answer = await send(new URL(answer.location ?? "", link).href)
      }
      return answer
    }
  }
}
