/** A customer with a browser, or without one: who fills forms, follows redirects, and looks again where a page says so. */
export interface Customer {
  readonly goTo: (address: string) => Promise<void>
  /** Writes into the field with the label, or chooses there. */
  readonly fill: (label: string, text: string) => Promise<void>
  /** Chooses one of several, by its label. */
  readonly choose: (label: string) => Promise<void>
  /** Presses the button, and comes to the page that follows, unless the tab was closed meanwhile. */
  readonly press: (button: string) => Promise<void>
  /** Waits for the page with the heading. */
  readonly sees: (heading: string) => Promise<void>
  /** Waits until the tab is at the address. */
  readonly isAt: (address: string) => Promise<void>
  readonly closeTab: () => Promise<void>
}

const redirectsAtMost = 10
const looksAtMost = 5

/** Reads pages as far as a person without a browser has to: their forms, and when they look again. */
export const makeFormCustomer = (): Customer => {
  const tab = { address: "", html: "", refresh: "", isClosed: false }
  const fields = new Map<string, string>()

  const load = async (address: string, options: RequestInit = {}): Promise<void> => {
    let next = { address, options }
    for (let redirects = 0; redirects <= redirectsAtMost; redirects++) {
      const answer = await fetch(next.address, { ...next.options, redirect: "manual" })
      const html = await answer.text()
      if (tab.isClosed) return
      const location = answer.headers.get("location")
      if (location === null) {
        const refresh = answer.headers.get("refresh") ?? ""
        Object.assign(tab, { address: next.address, html, refresh: /;\s*url=(.*)$/u.exec(refresh)?.[1] ?? "" })
        fields.clear()
        return
      }
      next = { address: new URL(location, next.address).href, options: {} }
    }
    throw new Error(`${address} redirects without end`)
  }

  const found = (pattern: RegExp, what: string): string => {
    const [, text] = pattern.exec(tab.html) ?? []
    if (text === undefined) throw new Error(`${what} is not on the page ${tab.address}: ${tab.html}`)
    return text
  }
  const headingOf = () => /<h1[^>]*>(.*?)<\/h1>/su.exec(tab.html)?.[1]?.replaceAll(/<[^>]*>/gu, "") ?? ""

  return {
    goTo: (address) => load(address),
    fill: async (label, text) => {
      fields.set(found(new RegExp(`<label for="(\\w+)">${label}</label>`, "u"), label), text)
    },
    choose: async (label) => {
      const name = found(new RegExp(`name="(\\w+)" value="[^"]*">${label}</label>`, "u"), label)
      fields.set(name, found(new RegExp(`name="${name}" value="([^"]*)">${label}</label>`, "u"), label))
    },
    press: async (button) => {
      const [, name = "", value = ""] =
        new RegExp(`<button name="(\\w+)" value="([^"]*)"[^>]*>${button}</button>`, "u").exec(tab.html) ?? []
      if (name === "") throw new Error(`${button} is not on the page ${tab.address}: ${tab.html}`)
      // A form before its button names where it is sent to, or it is sent to its own page.
      const before = tab.html.slice(0, tab.html.indexOf(`value="${value}"`))
      const action = /action="([^"]*)"/u.exec(before.slice(before.lastIndexOf("<form")))?.[1] ?? tab.address
      const body = new URLSearchParams([...fields, [name, value]])
      await load(new URL(action, tab.address).href, { method: "POST", body })
    },
    sees: async (heading) => {
      if (headingOf() !== heading) throw new Error(`expected the page "${heading}", and not "${headingOf()}"`)
    },
    isAt: async (address) => {
      for (let looks = 0; looks < looksAtMost && tab.address !== address && tab.refresh !== ""; looks++) {
        await load(new URL(tab.refresh, tab.address).href)
      }
      if (tab.address !== address) throw new Error(`expected the page at ${address}, and not ${tab.address}`)
    },
    closeTab: async () => {
      tab.isClosed = true
    }
  }
}
