import { afterAll, describe, expect, test } from "vitest"
import { scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const script = scripted()
const web = serve(script.layer)
afterAll(web.close)

const good = '"amount":1999,"currency":"EUR","country":"NL"'
const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))))
const nested = (depth: number) => `{${good},"extra":${"[".repeat(depth)}${"]".repeat(depth)}}`

const bodies: ReadonlyArray<readonly [what: string, body: string | Uint8Array, status: number, code?: string]> = [
  ["an empty body", "", 400, "invalid_json"],
  ["white space", " \n", 400, "invalid_json"],
  ["half an object", `{${good}`, 400, "invalid_json"],
  ["a trailing comma", `{${good},}`, 400, "invalid_json"],
  ["two values", `{${good}}{}`, 400, "invalid_json"],
  ["single quotes", "{'amount':1}", 400, "invalid_json"],
  ["NaN", `{"amount":NaN,"currency":"EUR","country":"NL"}`, 400, "invalid_json"],
  ["a leading zero", `{"amount":050,"currency":"EUR","country":"NL"}`, 400, "invalid_json"],
  ["a comment", `{${good}/**/}`, 400, "invalid_json"],
  ["a byte order mark", bytes([0xef, 0xbb, 0xbf], `{${good}}`), 400, "invalid_json"],
  ["invalid UTF-8", bytes(`{${good},"reference":"`, [0xff, 0xfe], '"}'), 400, "invalid_json"],
  ["an overlong NUL", bytes(`{${good},"reference":"`, [0xc0, 0x80], '"}'), 400, "invalid_json"],
  ["a surrogate in UTF-8", bytes(`{${good},"reference":"`, [0xed, 0xa0, 0x80], '"}'), 400, "invalid_json"],
  ["UTF-16", Buffer.from(`{${good}}`, "utf16le"), 400, "invalid_json"],
  ["a raw control character", `{${good},"reference":"a\nb"}`, 400, "invalid_json"],
  ["a key twice", `{${good},"amount":50}`, 400, "invalid_json"],
  ["a key twice, escaped", `{${good},"\\u0061mount":50}`, 400, "invalid_json"],
  ["a key twice with space before the colon", `{${good},"amount" \t\r\n :50}`, 400, "invalid_json"],
  ["a key twice in a nested object", `{${good},"extra":[{"a":1,"a":1}]}`, 400, "invalid_json"],
  ["a key twice after a nested object", `{${good},"extra":{"x":{}},"extra":1}`, 400, "invalid_json"],
  ["too deep", nested(64), 400, "invalid_json"],
  ["8000 arrays", "[".repeat(8000) + "]".repeat(8000), 400, "invalid_json"],
  ["8000 open arrays", "[".repeat(8000), 400, "invalid_json"],
  ["a number of 41 characters", `{${good},"extra":${"1".repeat(41)}}`, 400, "invalid_json"],
  ["a fraction of 41 characters", `{${good},"extra":[0.${"0".repeat(38)}1]}`, 400, "invalid_json"],
  ["a number of 16,000 zeros and one", `{"amount":0.${"0".repeat(16_000)}1}`, 400, "invalid_json"],
  ["a number of 40 characters", `{${good},"extra":${"1".repeat(40)}}`, 201],
  ["41 digits in a text", `{${good},"extra":"${"1".repeat(41)}"}`, 201],
  ["an array", `[{${good}}]`, 422, "validation_error"],
  ["a string", '"amount"', 422, "validation_error"],
  ["a number", "1999", 422, "validation_error"],
  ["null", "null", 422, "validation_error"],
  ["true", "true", 422, "validation_error"],
  ["an empty object", "{}", 422, "validation_error"],
  ["fields in __proto__", `{"__proto__":{${good}}}`, 422, "validation_error"],
  ["a lone surrogate, escaped", `{${good},"reference":"\\ud800"}`, 422, "validation_error"],
  ["NUL, escaped", `{${good},"reference":"a\\u0000b"}`, 422, "validation_error"],
  ["deep enough to be ignored", nested(60), 201],
  ["__proto__ beside good fields", `{${good},"__proto__":{"debug":"x"},"constructor":{"prototype":1}}`, 201],
  ["the same key in two objects", `{${good},"a":{"x":1},"b":{"x":1},"c":[{"x":1},{"x":1}]}`, 201],
  ["a value that looks like a key", `{${good},"a":"amount","b":["amount","amount"],"c":"\\"amount\\":"}`, 201],
  ["long digits in an ignored field", `{${good},"extra":[12345678901234567890,"12345678901234567890"]}`, 201],
  ["a huge number in an ignored field", `{${good},"extra":1e400}`, 201],
  ["white space everywhere", ` {\n"amount" : 1999 ,\t"currency":"EUR" , "country"\r:"NL" } `, 201]
]

describe("a body of create", () => {
  test.each(bodies)("%s is answered as it deserves", async (_what, body, status, code) => {
    const reply = await web.send("/api/v1/payments", { key: "sandbox", body })
    expect([reply.status, reply.body.error?.code]).toEqual([status, code])
  })

  test("nothing of a body that cannot be parsed is repeated", async () => {
    const reply = await web.send("/api/v1/payments", { key: "sandbox", body: '{"token":"tok_secret"' })
    expect(reply.body.error.message).not.toContain("tok_secret")
  })

  test("Object's prototype is as it was after all of the above, and nothing was logged", () => {
    expect(({} as Record<string, unknown>)["debug"]).toBeUndefined()
    expect(web.log).toEqual([])
  })
})

describe("the media type", () => {
  const send = (headers: Record<string, string>) =>
    web.send("/api/v1/payments", { key: "sandbox", body: `{${good}}`, headers })

  test.each(["application/json", "APPLICATION/JSON", "application/json; charset=utf-8", "application/json ;x=1"])(
    "a create with %s is JSON",
    async (type) => expect((await send({ "content-type": type })).status).toBe(201)
  )

  test("a create without a media type is JSON", async () => {
    const request = new Request("http://pointsman.test/api/v1/payments", {
      method: "POST",
      headers: { authorization: "Bearer sandbox" },
      body: Buffer.from(`{${good}}`)
    })
    expect(request.headers.has("content-type")).toBe(false)
    expect((await web.fetch(request)).status).toBe(201)
  })

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/ld+json"])(
    "a create with %s is 415 in the envelope",
    async (type) => {
      const reply = await send({ "content-type": type })
      expect([reply.status, reply.body.error.code]).toEqual([415, "unsupported_media_type"])
    }
  )

  test("a create with a Content-Encoding is 415", async () => {
    expect((await send({ "content-encoding": "gzip" })).status).toBe(415)
    expect((await send({ "content-encoding": "identity" })).status).toBe(201)
  })
})
