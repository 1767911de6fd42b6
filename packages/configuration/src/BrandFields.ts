/** What the fields of a workspace's brand may hold. They go into the page at which customers pay, and into its policy. */

/** Longer addresses are not used by anybody. */
const urlAtMost = 2_048

/** It is in every page, and in the memory of every server. */
const dataLogoAtMost = 32_768

export const logoExpected =
  "an https URL without user or password, or a data: URL of at most " +
  `${dataLogoAtMost} characters with a PNG, JPEG, WebP, GIF or SVG image in base64`
export const isLogo = (value: string): boolean => isDataLogo(value) || isHttps(value)

export const colorExpected = 'a color as # and six hexadecimal digits, such as "#0b5fff"'
export const isColor = (value: string): boolean => /^#[\da-f]{6}$/iu.test(value)

export const supportExpected = 'an https URL, or a mailto URL such as "mailto:help@shop.example"'
export const isSupport = (value: string): boolean =>
  isHttps(value) || (value.length <= urlAtMost && /^mailto:[^\s@]+@[^\s@]+$/iu.test(value))

export const httpsExpected = "an https URL without user or password"

/** The host is one that a Content-Security-Policy can name: without a `;`, which URLs allow there. */
export const isHttps = (value: string): boolean => {
  const url = value.length <= urlAtMost ? URL.parse(value) : null
  return (
    url !== null &&
    url.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    /^(?:[a-z\d._-]+|\[[\da-f:]+\])$/u.test(url.hostname)
  )
}

const isDataLogo = (value: string): boolean => {
  const [, image = ""] = /^data:image\/(?:png|jpeg|webp|gif|svg\+xml);base64,(.*)$/u.exec(value) ?? []
  return value.length <= dataLogoAtMost && image.length % 4 === 0 && /^[A-Za-z\d+/]+={0,2}$/u.test(image)
}
