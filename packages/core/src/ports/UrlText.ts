/** `https://pay.example` for `https://pay.example//`. Linear in the length of the text, as `replace(/\/+$/)` is not. */
export const withoutTrailingSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}
