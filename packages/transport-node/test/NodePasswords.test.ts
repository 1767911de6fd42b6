/** Hashes of passwords by scrypt. */
import { assert, describe } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Passwords } from "@pointsman/core/ports"
import { NodePasswords } from "@pointsman/transport-node"
import { Effect, Redacted, Result } from "effect"

const password = Redacted.make("correct horse battery Å")

/** scrypt("password", "NaClNaClNaClNaCl", N = 1024, r = 8, p = 1) */
const stored = "scrypt$ln=10,r=8,p=1$TmFDbE5hQ2xOYUNsTmFDbA==$AughW9OQdIjb8Y7W3yGZXE5EX58i0ciSXZxtEpWJvdU="

const made = Effect.map(Effect.provide(Passwords, NodePasswords.layer), (passwords) => {
  assert.isDefined(passwords)
  return passwords
})

describe("passwords", () => {
  itRunsLive("a password's hash names its parameters, has its own salt and is verified", function* () {
    const { hash, verify } = yield* made
    const [first, second] = yield* Effect.all([hash(password, []), hash(password, [])])
    assert.match(first, /^scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}==\$[A-Za-z0-9+/]{43}=$/u)
    assert.notStrictEqual(first, second)
    assert.isTrue(yield* verify(password, first))
    // The same letter in two parts.
    assert.isTrue(yield* verify(Redacted.make("correct horse battery A\u030a"), first))
    assert.isFalse(yield* verify(Redacted.make("correct horse battery"), first))
    assert.isFalse(yield* verify(password, null))
  })

  itRunsLive("other parameters are read from a hash", function* () {
    const { verify } = yield* made
    assert.isTrue(yield* verify(Redacted.make("password"), stored))
    assert.isFalse(yield* verify(Redacted.make("Password"), stored))
    assert.match(String(yield* Effect.flip(Effect.sandbox(verify(password, "plain")))), /malformed/u)
  })

  itRunsLive("a password that is guessed soon is not hashed", function* () {
    const { hash } = yield* made
    const isWeak = (text: string) =>
      Effect.match(hash(Redacted.make(text), ["Jo.Doe@Example.com", "Jo Doe"]), {
        onFailure: ({ _tag }) => _tag === "pointsman/PasswordWeak",
        onSuccess: () => false
      })
    const weak = ["qwerty123456", "P@ssw0rd1234", "aaaaaaaaaaaa", "1234567890123", "pointsman123", "jo.doe@example.com"]
    // The letters of another width are the same password.
    weak.push("EXAMPLE-doe1", "ｑｗｅｒｔｙ123456", "password".repeat(32))
    assert.deepStrictEqual(yield* Effect.filter(weak, (text) => Effect.map(isWeak(text), (is) => !is)), [])
    const strong = ["correct horse battery", "kangaroo-violin", "zM3k8QpL2xWv", "ein Fluss aus Stein", "река из камня"]
    assert.deepStrictEqual(yield* Effect.filter(strong, isWeak), [])
  })

  itRunsLive("passwords above the waiting limit are refused at once, and later ones verified", function* () {
    const { verify } = yield* made
    const ask = Effect.result(verify(Redacted.make("password"), stored))
    const ends = yield* Effect.forEach(Array(50).keys(), () => ask, { concurrency: "unbounded" })
    assert.deepStrictEqual(
      ends.map((end) => (Result.isSuccess(end) ? end.success : end.failure._tag)),
      [...Array(40).fill(true), ...Array(10).fill("pointsman/PasswordsBusy")]
    )
    assert.isTrue(yield* verify(Redacted.make("password"), stored))
  })
})
