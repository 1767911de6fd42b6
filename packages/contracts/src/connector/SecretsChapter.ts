/** No answer, error, log line or span shows a secret, not even one that the provider sends back. */

import { assert, describe, it } from "@effect/vitest"
import type { TransportAnswer } from "@pointsman/core/connector"
import { Effect, Logger, References, Tracer } from "effect"
import { kindOf } from "./AnswersChapter.ts"
import type { ConnectorUnderTest } from "./ConnectorUnderTest.ts"
import { faults, successOf } from "./FaultsChapter.ts"
import {
  askingOperationsOf,
  eachSituation,
  instrumentOf,
  operationOf,
  playedBy,
  type Rehearsal,
  rehearse,
  rehearseOver,
  situation,
  situationsFor
} from "./Rehearsal.ts"

export const secretsChapter = (subject: ConnectorUnderTest): void => {
  const secrets = [...subject.secrets, instrumentOf(subject)]
  const secretly = (run: Effect.Effect<Rehearsal>, ...others: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const { exit, shown } = yield* overheard(run)
      for (const secret of [...secrets, ...others]) assert.notInclude(textIn([exit, shown]), secret)
    })

  describe("secrets", () => {
    it("names secrets that its credentials hold", () => {
      if (subject.wire !== undefined) {
        assert.isNotEmpty(subject.secrets, "`secrets` is empty: nothing shows that none is leaked")
      }
      for (const secret of subject.secrets) {
        assert.include(JSON.stringify(subject.credentials), secret, "each of `secrets` occurs in `credentials`")
      }
    })
    for (const operation of askingOperationsOf(subject)) {
      for (const name of situationsFor(subject, operation)) {
        for (const of of eachSituation(subject, name)) {
          if (playedBy(subject, of) === undefined) continue
          it.effect(`${name}${kindOf(of)} shows no secret`, () => secretly(rehearse(subject, of)))
        }
      }
      const { wire } = subject
      if (wire === undefined) continue
      const of = situation(successOf(subject, operation))
      const played = subject.play(of)
      if (played === undefined || !("answer" in played)) continue
      const echo = secrets.join(" ")
      for (const [what, answer] of [
        ...faults(subject, played.answer, wire, operation),
        ...echoes(played.answer, echo)
      ]) {
        it.effect(`${what} to ${operation} shows no secret`, () =>
          secretly(rehearseOver(subject, of, Effect.succeed({ ...answer, headers: { ...answer.headers, echo } })))
        )
      }
      if (operation === "openCheckout") {
        for (const secret of subject.secrets) {
          for (const [how, { written }] of writings(secret)) {
            const address = `https://pay.provider.example/1?key=${encodeURIComponent(written)}`
            it.effect(`no customer is sent to an address with a secret ${how} in it`, () =>
              secretly(
                rehearseOver(subject, of, Effect.succeed(wire.checkout?.leadingTo(address, of) ?? played.answer))
              )
            )
          }
        }
      }
      const rejected = rejections.find((name) => operationOf(name) === operation)
      if (rejected === undefined) continue
      for (const secret of operation === "charge" ? secrets : subject.secrets) {
        for (const [how, { telling, written }] of writings(secret)) {
          const answered = situation(rejected, { rejection: { code: "bad_key", message: `Not a key: ${written}` } })
          if (playedBy(subject, answered) === undefined) continue
          it.effect(`${rejected} hides a secret ${how}`, () => secretly(rehearse(subject, answered), telling))
        }
      }
    }
  })
}

interface Writing {
  /** What the provider shows. */
  readonly written: string
  /** The part of it that tells the secret. */
  readonly telling: string
}

/** How a provider writes a secret that it was sent: `hideSecrets` of `@pointsman/core/connector` finds all of these. */
const writings = (secret: string): ReadonlyMap<string, Writing> => {
  const form = new URLSearchParams({ "": secret }).toString().slice(1)
  const twice = encodeURIComponent(encodeURIComponent(secret))
  const codes = Array.from(secret, (character) => character.charCodeAt(0))
  const escapes = codes.map((code) => `\\u${code.toString(16).padStart(4, "0")}`).join("")
  const html = codes.map((code) => `&#${code};`).join("")
  // The first five of its bytes are no part of the secret, and share seven digits.
  const basic = base64(`user:${secret}`)
  return new Map(
    Object.entries({
      "as it is": { written: secret, telling: secret },
      "as a URL writes it": { written: encodeURIComponent(secret), telling: encodeURIComponent(secret) },
      "as a form writes it": { written: form, telling: form },
      "as a URL in a URL writes it": { written: twice, telling: twice },
      "with escapes of JSON": { written: escapes, telling: escapes },
      "with entities of HTML": { written: html, telling: html },
      "in Base64": { written: base64(secret), telling: base64(secret) },
      "in Base64 for URLs": { written: base64Url(secret), telling: base64Url(secret) },
      "in basic authentication": { written: basic, telling: basic.slice(8, -4) }
    })
  )
}

const base64 = (text: string): string => btoa(String.fromCharCode(...new TextEncoder().encode(text)))

const base64Url = (text: string): string => base64(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")

const rejections = [
  "charge rejected",
  "checkout rejected",
  "completion rejected",
  "capture rejected",
  "void rejected",
  "refund rejected",
  "operation lookup failed"
] as const

const echoes = (success: TransportAnswer, echo: string): ReadonlyArray<readonly [string, TransportAnswer]> => [
  ["an unreadable body", { ...success, body: `{"echo": ${echo}` }],
  ["a body of another shape", { ...success, body: JSON.stringify({ status: echo, id: { key: echo } }) }],
  ["a failure", { ...success, status: 500, body: JSON.stringify({ error: { code: echo, message: echo } }) }]
]

/** Runs with every log line and span collected, down to the lowest level. */
const overheard = Effect.fnUntraced(function* (run: Effect.Effect<Rehearsal>) {
  const shown: Array<unknown> = []
  const exit = yield* run.pipe(
    // The recorded requests hold the secrets, as they must; a span would show them as its result.
    Effect.map((rehearsal) => rehearsal.exit),
    Effect.withSpan("rehearsal"),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.provideService(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          shown.push(span)
          return span
        }
      })
    ),
    Effect.provide(
      Logger.layer([
        Logger.make((line) => {
          shown.push(Logger.formatStructured.log(line), line.message)
        })
      ])
    )
  )
  return { exit, shown }
})

/** Every text inside a value: of fields that are not listed too, such as an error's message, and of causes. */
export const textIn = (value: unknown): string => {
  const seen = new Set<unknown>()
  const texts: Array<string> = []
  const read = (part: unknown): void => {
    if (typeof part === "string") texts.push(part)
    if (typeof part !== "object" || part === null || seen.has(part)) return
    seen.add(part)
    if (part instanceof Map || part instanceof Set) for (const entry of part) read(entry)
    for (const key of Reflect.ownKeys(part)) {
      if (typeof key === "string") texts.push(key)
      const field = Object.getOwnPropertyDescriptor(part, key)
      if (field !== undefined && "value" in field) read(field.value)
    }
  }
  read(value)
  return texts.join("\n")
}
