/** Passkeys: adding, listing and removing them, and signing in. */
import type { OperatorGrant } from "@pointsman/core"
import { Effect, Redacted } from "effect"
import { assert, describe, it } from "vitest"
import { type Authenticator, type Falsified, newAuthenticator } from "./support/Authenticator.ts"
import { codeOf, dataOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { bodyOf, cookieOf, origin } from "./support/World.ts"

const viewer: ReadonlyArray<OperatorGrant> = [{ workspaceId: null, role: "viewer" }]

const here = usedWorld()

const refused = async (response: Response) => {
  assert.isNull(response.headers.get("set-cookie"))
  assert.deepStrictEqual(await codeOf(response), [401, "sign_in_refused"])
}
const optionsToAdd = async (cookie: string) =>
  dataOf(await here.send("/api/passkeys/options", { method: "POST", cookie }))
const add = async (cookie: string, passkey: Authenticator, falsified: Falsified = {}, name = "Laptop <1>") => {
  const options = await optionsToAdd(cookie)
  const { challenge } = options
  const body = { name, challenge, response: passkey.register(options, falsified) }
  return here.send("/api/passkeys", { cookie, body })
}
const optionsToSignIn = async () => dataOf(await here.send("/api/session/passkey/options", { method: "POST" }))
const answerOf = async (passkey: Authenticator, falsified: Falsified = {}) => {
  const options = await optionsToSignIn()
  return { challenge: options.challenge, response: passkey.signIn(options, falsified) }
}
const signIn = async (passkey: Authenticator, falsified: Falsified = {}) =>
  here.send("/api/session/passkey", { body: await answerOf(passkey, falsified) })

const passkeysOf = async (cookie: string) => dataOf(await here.send("/api/passkeys", { cookie }))

describe("adding a passkey", () => {
  it("an added passkey is listed, and the next options exclude it", async () => {
    const cookie = await here.signIn("jo", viewer)
    const passkey = newAuthenticator(origin)
    const options = await optionsToAdd(cookie)
    assert.deepInclude(options, {
      rp: { id: "console.test", name: "Pointsman" },
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      excludeCredentials: []
    })
    assert.deepInclude(await dataOf(await add(cookie, passkey)), {
      id: passkey.id,
      name: "Laptop <1>",
      last_used_at: null
    })
    assert.deepStrictEqual((await optionsToAdd(cookie)).excludeCredentials, [
      { id: passkey.id, type: "public-key", transports: ["internal"] }
    ])
    assert.lengthOf(await passkeysOf(cookie), 1)
    assert.include(here.log.join("\n"), "operator.passkey_added")
  })

  for (const [what, falsified] of [
    ["another origin", { origin: "http://evil.test" }],
    ["another port", { origin: `${origin}:8080` }],
    ["another host's passkey", { rpId: "evil.test" }],
    ["another challenge", { challenge: "x".repeat(43) }],
    ["a response to a sign-in", { type: "webauthn.get" }],
    ["a user who was not verified", { flags: 0x01 }]
  ] as const) {
    it(`${what} is refused, and the log says why`, async () => {
      const cookie = await here.signIn("jo", viewer)
      assert.deepStrictEqual(await codeOf(await add(cookie, newAuthenticator(origin), falsified)), [
        409,
        "passkey_refused"
      ])
      assert.deepStrictEqual(await passkeysOf(cookie), [])
      assert.include(here.log.join("\n"), "the response of a passkey was refused")
    })
  }

  it("the field of a body that is not right is named", async () => {
    const cookie = await here.signIn("jo", viewer)
    const options = await optionsToAdd(cookie)
    const right = { name: "a", challenge: options.challenge, response: newAuthenticator(origin).register(options) }
    for (const [field, body] of [
      ["name", { ...right, name: " " }],
      ["name", { ...right, name: 1 }],
      ["challenge", { ...right, challenge: null }],
      ["response", { ...right, response: "x" }]
    ] as const) {
      const response = await here.send("/api/passkeys", { cookie, body })
      const { error } = await bodyOf(response)
      assert.deepStrictEqual([response.status, error.code], [422, "validation_error"])
      assert.include(error.message, `\`${field}`)
    }
    for (const response of [
      { ...right.response, id: "a", rawId: "b" },
      { ...right.response, response: { ...right.response.response, attestationObject: "AAAA" } },
      { ...right.response, response: { ...right.response.response, clientDataJSON: "AAAA" } }
    ]) {
      const { challenge } = await optionsToAdd(cookie)
      const body = { name: "a", challenge, response }
      assert.deepStrictEqual(await codeOf(await here.send("/api/passkeys", { cookie, body })), [409, "passkey_refused"])
    }
  })
})

describe("signing in with a passkey", () => {
  const registered = async (login = "jo") => {
    const cookie = await here.signIn(login, viewer)
    const passkey = newAuthenticator(origin)
    await dataOf(await add(cookie, passkey))
    return { cookie, passkey }
  }

  it("a passkey signs in its operator without a login, named in the trail", async () => {
    await registered("ann")
    const { cookie, passkey } = await registered()
    const options = await optionsToSignIn()
    assert.hasAllKeys(options, ["challenge", "rpId", "timeout", "userVerification"])
    const response = await signIn(passkey)
    assert.match(response.headers.get("set-cookie") ?? "", /^pointsman_console=[\w-]{43}; .*HttpOnly/u)
    assert.deepStrictEqual(await dataOf(response), { login: "jo", method: "passkey" })
    const me = await here.send("/api/me", { cookie: cookieOf(response) })
    assert.strictEqual((await dataOf(me)).login, "jo")
    assert.include(here.log.join("\n"), String.raw`\"method\":\"passkey\"`)
    assert.isString((await passkeysOf(cookie))[0].last_used_at)
  })

  it("a response that is sent again is refused", async () => {
    const { passkey } = await registered()
    const body = await answerOf(passkey)
    await dataOf(await here.send("/api/session/passkey", { body }))
    await refused(await here.send("/api/session/passkey", { body }))
    // With a challenge that is valid, but was not signed.
    const { challenge } = await optionsToSignIn()
    await refused(await here.send("/api/session/passkey", { body: { ...body, challenge } }))
  })

  for (const [what, falsified] of [
    ["another origin", { origin: "http://evil.test" }],
    ["https instead of http", { origin: origin.replace("http:", "https:") }],
    ["another host", { rpId: "evil.test" }],
    ["another challenge", { challenge: "x".repeat(43) }],
    ["a response to a registration", { type: "webauthn.create" }],
    ["a user who was not verified", { flags: 0x01 }],
    ["a counter that did not grow", { counter: 1 }],
    ["no user handle", { userHandle: "" }],
    ["another operator's handle", { userHandle: Buffer.from("opr_other").toString("base64url") }]
  ] as const) {
    it(`${what} is refused`, async () => {
      const { passkey } = await registered()
      await refused(await signIn(passkey, falsified))
      await dataOf(await signIn(passkey))
    })
  }

  it("another passkey's signature, and an unknown passkey, are refused", async () => {
    const { passkey } = await registered()
    const other = newAuthenticator(origin)
    const forged = await answerOf(passkey)
    const { response } = await answerOf(other)
    const { signature } = response.response
    const body = { ...forged, response: { ...forged.response, response: { ...forged.response.response, signature } } }
    await refused(await here.send("/api/session/passkey", { body }))
    await refused(await signIn(other))
  })
})

describe("the account page", () => {
  it("passkeys are listed escaped, and removed by a form that may be sent twice", async () => {
    const cookie = await here.signIn("jo", viewer)
    const passkey = newAuthenticator(origin)
    await add(cookie, passkey)
    const page = await (await here.send("/account", { cookie })).text()
    assert.include(page, "Laptop &lt;1&gt;")
    assert.include(page, "Add a passkey")
    const action = /action="\/console(\/account\/passkeys\/[^"]+)"/u.exec(page)?.[1] ?? ""
    const other = await here.signIn("ann", viewer)
    await here.send(action, { method: "POST", cookie: other })
    assert.lengthOf(await passkeysOf(cookie), 1)
    for (let turn = 0; turn < 2; turn++) {
      const response = await here.send(action, { method: "POST", cookie })
      assert.deepStrictEqual(
        [response.status, response.headers.get("location")],
        [303, "/console/account?notice=removed"]
      )
    }
    const after = await (await here.send("/account?notice=removed", { cookie })).text()
    assert.include(after, "No passkeys yet.")
    assert.include(after, "The passkey was removed.")
  })

  it("an issuer's session gets no passkey by page or API", async () => {
    const { operators } = here
    await here.signIn("jo", viewer)
    const identity = { issuer: "https://login.example.com", subject: "1", login: "jo", displayName: "Jo", grants: null }
    const { token } = await here.run((await operators).signInWithOidc(Effect.succeed(identity), "203.0.113.9"))
    const cookie = `pointsman_console=${Redacted.value(token)}`
    const page = await (await here.send("/account", { cookie })).text()
    assert.include(page, "passkeys cannot be added in this session")
    assert.notInclude(page, "Add a passkey")
    const asked = await here.send("/api/passkeys/options", { method: "POST", cookie })
    assert.deepStrictEqual(await codeOf(asked), [409, "passkey_refused"])
  })
})

describe("the host that a request names", () => {
  it("a response that a host below the console's got is refused, whatever it names", async () => {
    const cookie = await here.signIn("jo", viewer)
    const passkey = newAuthenticator(origin)
    await dataOf(await add(cookie, passkey))
    // A browser lets such a page ask for the passkeys of the host above it.
    const falsified = { origin: "http://evil.console.test", rpId: "console.test" }
    for (const host of ["console.test", "evil.console.test", "console.test.", "evil.console.test:80"]) {
      const body = await answerOf(passkey, falsified)
      await refused(await here.send("/api/session/passkey", { body, headers: { host } }))
    }
    assert.strictEqual((await signIn(passkey)).status, 200)
  })
})
