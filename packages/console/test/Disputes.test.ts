/** Disputes on the pages: the list by deadline, evidence, submission and acceptance, and who may answer. */
import { scriptedProvider } from "@pointsman/core/testing"
import { assert, describe, it } from "vitest"
import { stateDispute } from "./support/Reports.ts"
import { everywhere, keyedForm, leadsTo, pageAt, pageOf } from "./support/Responses.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { mount, origin, silence, speaking } from "./support/World.ts"

const here = usedWorld()

const at = "/disputes/acme/sandbox"
const day = 86_400_000
const tenant = { workspaceId: "acme", environment: "sandbox" as const }

const disputed = async (disputeId = "du_1", dueBy: number | null = Date.now() + 10.5 * day) => {
  const { id, providerRef } = await here.pay("acme", "sandbox", "automatic")
  const due = dueBy === null ? {} : { dueBy }
  const dispute = await stateDispute(here.run, "acme-sandbox", tenant, { providerRef, disputeId, ...due })
  return { payment: id, dispute, path: `${at}/${dispute.id}` }
}

const keep = (path: string, cookie: string) =>
  here.send(`${path}/evidence`, { cookie, form: { product_description: "A chair.\r\nBlue.", customer_name: " " } })

const formOf = async (path: string, cookie: string) => (await keyedForm(here, path, cookie)).fields

describe("the list", () => {
  it("the next deadline of open disputes comes first, and those without one last", async () => {
    const cookie = await here.signIn("jo", everywhere("viewer"))
    await disputed("du_<late>", Date.now() + 9.5 * day)
    await disputed("du_none", null)
    await disputed("du_soon", Date.now() + 2.5 * day)
    await disputed("du_passed", Date.now() - day)
    const text = await pageAt(here, at, cookie)
    const shown = [...text.matchAll(/<a href="\/console\/disputes\/acme\/sandbox\/dp_[^"]+">([^<]+)</gu)]
    assert.deepStrictEqual(
      shown.map(([, name]) => name),
      ["du_passed", "du_soon", "du_&lt;late&gt;", "du_none"]
    )
    for (const left of ["Deadline passed", "2 d left", "9 d left", "No deadline stated"]) assert.include(text, left)
    assert.include(await pageAt(here, `${at}?status=won`, cookie), "No disputes found.")
    assert.include(await pageAt(here, `${at}?status=needs_response`, cookie), "du_soon")
    assert.notInclude(await pageAt(here, "/disputes/acme/production", cookie), "du_soon")
  })
})

describe("one dispute", () => {
  it("evidence submitted by a double click reaches the provider once", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path, payment } = await disputed()
    assert.include(await pageAt(here, `/payments/acme/sandbox/${payment}`, cookie), `href="/console${path}"`)
    assert.notInclude(await pageAt(here, path, cookie), "Submit evidence…")
    const kept = await keep(path, cookie)
    assert.strictEqual(leadsTo(kept), `${path}?notice=kept`)
    const shown = await pageAt(here, `${path}?notice=kept`, cookie)
    assert.include(shown, "<code>product_description</code>")
    assert.notInclude(shown, "A chair.")
    assert.notInclude(shown, "<code>customer_name</code>")
    assert.include(await pageAt(here, `${path}/evidence`, cookie), "This takes the place of everything")
    const form = await formOf(`${path}/submit`, cookie)
    const both = await Promise.all([1, 2].map(() => here.send(`${path}/submit`, { cookie, form })))
    for (const response of both) assert.match(leadsTo(response), /notice=(?:done|in_progress)$/u)
    assert.deepStrictEqual(
      here.provider.submissions.map(({ disputeId, texts }) => [disputeId, texts]),
      [["du_1", { product_description: "A chair.\nBlue." }]]
    )
    const after = await pageAt(here, path, cookie)
    assert.include(after, "Done: the provider has it")
    for (const act of ["evidence", "submit", "accept"]) assert.notInclude(after, `href="/console${path}/${act}"`)
    const entries = await here.audited(/^dispute\./u)
    assert.sameMembers(
      entries.map(({ action, actor }) => `${action} ${actor}`),
      ["dispute.keeping_evidence jo", "dispute.submitting jo", "dispute.submitting jo"]
    )
    assert.notInclude(JSON.stringify(entries), "A chair")
  })

  it("a submission without an answer is unknown on the page, which offers nothing", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    await keep(path, cookie)
    here.provider.onSubmitDispute = () => silence
    const sent = await here.send(`${path}/submit`, { cookie, form: await formOf(`${path}/submit`, cookie) })
    assert.strictEqual(leadsTo(sent), `${path}?notice=unknown`)
    const text = await pageAt(here, `${path}?notice=unknown`, cookie)
    assert.include(text, "Do not send it again.")
    assert.include(text, "Unknown: the provider did not respond, and may have it")
    assert.notInclude(text, `href="/console${path}/accept"`)
    const again = await here.send(`${path}/accept`, { cookie, form: await formOf(`${path}/accept`, cookie) })
    assert.strictEqual(leadsTo(again), `${path}?notice=in_progress`)
    assert.strictEqual(here.provider.acceptances.length, 0)
  })

  it("the form of an acceptance names the amount, and the dispute is accepted", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    const form = await formOf(`${path}/accept`, cookie)
    assert.include(await pageAt(here, `${path}/accept?key=${form["key"]}`, cookie), "You give up €9.00, for good.")
    assert.strictEqual(leadsTo(await here.send(`${path}/accept`, { cookie, form })), `${path}?notice=done`)
    assert.include(await pageAt(here, path, cookie), "Accepted")
    // The same form again is the same request.
    assert.strictEqual(leadsTo(await here.send(`${path}/accept`, { cookie, form })), `${path}?notice=done`)
    assert.strictEqual(here.provider.acceptances.length, 1)
  })

  it("a wrong form says what is wrong, keeps what was typed, and sends nothing", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    const empty = await pageOf(await here.send(`${path}/evidence`, { cookie, form: { customer_name: " " } }), 422)
    assert.include(empty, "expected at least one text or file")
    const card = { uncategorized_text: "card <4242 4242 4242 4242>", customer_name: "Kim" }
    const refused = await pageOf(await here.send(`${path}/evidence`, { cookie, form: card }), 422)
    assert.include(refused, 'value="Kim"')
    const nothing = await here.send(`${path}/submit`, { cookie, form: await formOf(`${path}/submit`, cookie) })
    await pageOf(nothing, 422)
    await pageOf(await here.send(`${path}/submit`, { cookie, form: { key: "short" } }), 422)
    assert.strictEqual(here.provider.submissions.length, 0)
  })
})

/** A form as a browser sends it: a field for each text, and a file for each field of files, empty where none was chosen. */
const formWith = (texts: Readonly<Record<string, string>>, files: Readonly<Record<string, Uint8Array>>): FormData => {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.set(name, text)
  for (const [name, bytes] of Object.entries(files)) form.set(name, new File([new Uint8Array(bytes)], `${name}.any`))
  form.set("uncategorized_file", new File([], ""))
  return form
}

const pdf = (size: number): Uint8Array => {
  const bytes = new Uint8Array(size)
  bytes.set(new TextEncoder().encode("%PDF-1.7\n"))
  return bytes
}

describe("files of evidence", () => {
  it("the provider gets every byte of files of the largest size together", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    const page = await pageAt(here, `${path}/evidence`, cookie)
    assert.include(page, 'enctype="multipart/form-data"')
    assert.include(page, '<input id="receipt" name="receipt" type="file" accept="application/pdf,image/jpeg,image/png"')
    const files = { receipt: pdf(4_000_000), customer_communication: pdf(1_000_000) }
    const sent = await here.send(`${path}/evidence`, {
      cookie,
      form: formWith({ product_description: "A chair.\r\nBlue.", customer_name: " " }, files)
    })
    assert.strictEqual(leadsTo(sent), `${path}?notice=kept`)
    const shown = await pageAt(here, path, cookie)
    assert.include(shown, "File <code>receipt</code>, application/pdf, 4000000 bytes")
    assert.notInclude(shown, "uncategorized_file")
    const form = await formOf(`${path}/submit`, cookie)
    assert.strictEqual(leadsTo(await here.send(`${path}/submit`, { cookie, form })), `${path}?notice=done`)
    const [submitted] = here.provider.submissions
    assert.deepStrictEqual(submitted?.texts, { product_description: "A chair.\nBlue." })
    assert.deepStrictEqual(
      submitted?.files.map(({ bytes, name, type }) => [name, type, bytes.length]),
      [
        ["receipt", "application/pdf", 4_000_000],
        ["customer_communication", "application/pdf", 1_000_000]
      ]
    )
  })

  it("too large, wrong or too many files are explained, texts kept, and nothing stored", async () => {
    const cookie = await here.signIn("jo", everywhere("operations"))
    const { path } = await disputed()
    const text = { customer_name: "Kim" }
    const many = Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`file_${at}`, pdf(20)]))
    for (const [files, status, message, isTextKept] of [
      [{ receipt: pdf(5_000_001) }, 422, "files of at most 5,000,000 bytes together", true],
      [{ receipt: pdf(9_000_000) }, 413, "Files may have 5,000,000 bytes together.", false],
      [{ receipt: new TextEncoder().encode("GIF89a") }, 422, "expected a PDF, JPEG or PNG file", true],
      [many, 422, "at most 10 files", true]
    ] as const) {
      const refused = await here.send(`${path}/evidence`, { cookie, form: formWith(text, files) })
      const page = await pageOf(refused, status)
      assert.include(page, message)
      assert.include(page, "Choose files again")
      assert.strictEqual(page.includes('value="Kim"'), isTextKept)
    }
    assert.include(await pageAt(here, path, cookie), "No evidence is kept for this dispute.")
  })

  /** Sends a form of endless pieces; gives the status, and how many pieces were read. */
  const sendEndless = async (target: string, cookie: string | undefined, piece: Uint8Array) => {
    let read = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        read++
        controller.enqueue(piece)
      }
    })
    const init: RequestInit & { readonly duplex: "half" } = {
      method: "POST",
      headers: {
        "content-type": "multipart/form-data; boundary=b",
        "sec-fetch-site": "same-origin",
        ...(cookie === undefined ? {} : { cookie })
      },
      body,
      duplex: "half"
    }
    const response = await here.handler(new Request(`${origin}${mount}${target}`, init))
    return { status: response.status, read }
  }

  it("nothing of a large form is read without the role, a session or the right page", async () => {
    const { path } = await disputed()
    const support = await here.signIn("sam", everywhere("support"))
    const operations = await here.signIn("jo", everywhere("operations"))
    for (const [target, cookie, status] of [
      [`${path}/evidence`, support, 403],
      [`${path}/evidence`, undefined, 303],
      [`${path}/submit`, operations, 422]
    ] as const) {
      const answer = await sendEndless(target, cookie, new Uint8Array(4_096).fill(97))
      assert.strictEqual(answer.status, status, target)
      assert.isAtMost(answer.read, 2)
    }
  })

  it("the rest of a form with a part too many or too large is not read", async () => {
    const { path } = await disputed()
    const operations = await here.signIn("jo", everywhere("operations"))
    const part = new TextEncoder().encode('--b\r\nContent-Disposition: form-data; name="summary"\r\n\r\nof a part\r\n')
    const parts = await sendEndless(`${path}/evidence`, operations, part)
    assert.strictEqual(parts.status, 422)
    assert.isAtMost(parts.read, 50 + 16)
    const file = new TextEncoder().encode(
      `--b\r\nContent-Disposition: form-data; name="receipt"; filename="x"\r\n\r\n${"a".repeat(1_000_000)}`
    )
    const large = await sendEndless(`${path}/evidence`, operations, file)
    assert.strictEqual(large.status, 413)
    assert.isAtMost(large.read, 10)
  })

  it("the form has exactly the fields of its connector, and says where there are none", async () => {
    const evidence = { texts: ["uncategorized_text", "billing_address"], files: ["receipt"] }
    await here.reopen({}, { connectors: [speaking(scriptedProvider({ evidence }).definition)] })
    const cookie = await here.signIn("jo", everywhere("operations"))
    const page = await pageAt(here, `${(await disputed()).path}/evidence`, cookie)
    const fields = [...page.matchAll(/<(?:input|textarea) id="(\w+)" name="\1"/gu)].map(([, name]) => name)
    assert.deepStrictEqual(fields, ["receipt", "uncategorized_text", "billing_address"])
    assert.include(page, '<label for="billing_address">Billing address</label>')
    assert.notInclude(page, "This connection sends no evidence.")
    const without = scriptedProvider({ without: ["submitDispute"] })
    await here.reopen({}, { connectors: [speaking(without.definition)] })
    const other = await here.signIn("jo", everywhere("operations"))
    const told = await pageAt(here, `${(await disputed()).path}/evidence`, other)
    assert.include(told, "This connection sends no evidence.")
  })
})
