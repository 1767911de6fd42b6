/**
 * Shows what changed while a page is open, and times in the reader's zone. Everything works without it.
 *
 * A live page follows the stream that it names, and asks every five seconds where there is none or it cannot be read. A
 * page that is hidden does neither: a browser has few connections to a host. Ten minutes after the last key or click a
 * page stops too, because endless polling would keep the session of an operator who left alive.
 */
export const script = `"use strict"
{
  const every = 5000
  const least = 2000
  const idle = 600000
  const times = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" })
  let touched = performance.now()
  let looked = touched
  let isStale = false
  let source
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" })
  const units = [["day", 86400000], ["hour", 3600000], ["minute", 60000], ["second", Infinity]]
  const countOn = (root) => {
    for (const time of root.querySelectorAll("time.ago")) {
      const age = Math.max(0, Date.now() - new Date(time.dateTime))
      const [unit, length] = units.find(([, length]) => age >= length) ?? units.at(-1)
      const text = relative.format(-Math.floor(age / length), unit)
      if (time.textContent !== text) time.textContent = text
    }
  }
  const localize = (root) => {
    for (const time of root.querySelectorAll("time.ago")) time.title = times.format(new Date(time.dateTime))
    countOn(root)
    for (const time of root.querySelectorAll("time[datetime]:not([title])")) {
      time.title = time.textContent
      time.textContent = times.format(new Date(time.dateTime))
    }
  }
  const live = () => document.querySelector("main[data-live]")
  const isBusy = (main) => main.contains(document.activeElement) && document.activeElement !== main
  const look = async () => {
    const main = live()
    if (main === null || isBusy(main) || performance.now() - looked < least) return
    looked = performance.now()
    isStale = false
    const response = await fetch(location.href, { redirect: "manual" })
    if (!response.ok) return
    const next = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("main")
    if (next === null) return
    localize(next)
    countOn(main)
    if (next.innerHTML === main.innerHTML) return
    if (isBusy(main)) isStale = true
    else main.replaceWith(document.adoptNode(next))
  }
  // A second click while the first request is under way would replace its answer, which may show a secret once.
  const sent = new WeakMap()
  addEventListener("submit", (event) => {
    if (!("once" in event.target.dataset)) return
    if (performance.now() - (sent.get(event.target) ?? -every) < every) event.preventDefault()
    else sent.set(event.target, performance.now())
  })
  // The file itself is not sent. Browsers compute a hash where the page came by https or from this machine.
  for (const choice of document.querySelectorAll("[data-hash]")) {
    if (globalThis.crypto?.subtle === undefined) break
    choice.hidden = false
    choice.addEventListener("change", async ({ target: { files: [file] } }) => {
      const digest = file === undefined ? [] : new Uint8Array(await crypto.subtle.digest("SHA-256", await file.arrayBuffer()))
      document.getElementById(choice.dataset.hash).value = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")
    })
  }
  const lookAgain = () => look().catch(() => { isStale = true })
  const changed = () => { isStale = true; lookAgain() }
  const follow = () => {
    const main = live()
    // What was followed has ended.
    if (main === null) {
      source?.close()
      return false
    }
    if (document.hidden || performance.now() - touched >= idle) {
      source?.close()
      source = undefined
      isStale = true
      return false
    }
    if (source === undefined && main.dataset.live !== "") {
      source = new EventSource(main.dataset.live)
      source.onopen = changed
      source.onmessage = changed
    }
    return true
  }
  const tick = () => { if (follow() && (isStale || source?.readyState !== 1)) lookAgain() }
  for (const event of ["pointerdown", "keydown"]) addEventListener(event, () => { touched = performance.now() })
  document.addEventListener("visibilitychange", tick)
  localize(document)
  // On a narrow screen the areas are one line that scrolls.
  const area = document.querySelector("header nav [aria-current]")
  if (area !== null) area.parentElement.scrollLeft = area.offsetLeft - area.parentElement.offsetLeft - 16
  follow()
  setInterval(() => { countOn(document); tick() }, every)
}
`
