/** IP addresses and CIDR ranges as text, checked without the help of a runtime. */

const octet = "(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)"
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`, "u")

/** `10.0.0.0/8`, `2001:db8::/32`, or one address. */
export const isNetwork = (text: string): boolean => {
  const [address = "", prefix, ...rest] = text.split("/")
  const bits = bitsOf(address)
  if (bits === undefined || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/u.test(prefix) && Number(prefix) <= bits)
}

const bitsOf = (address: string): 32 | 128 | undefined => {
  if (ipv4.test(address)) return 32
  // The URL parser checks an IPv6 address (https://url.spec.whatwg.org/#concept-ipv6-parser).
  return /^[0-9a-f:.]+$/iu.test(address) && URL.canParse(`http://[${address}]/`) ? 128 : undefined
}
