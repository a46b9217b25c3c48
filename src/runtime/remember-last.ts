/**
 * The same function, which remembers its last answer: of texts that come several times in a row, such as the type of
 * pages. Comparing a string with itself costs nothing, and with another one hardly more.
 */
export function rememberLast<Result>(make: (text: string) => Result): (text: string) => Result {
  let last = "";
  let result = make(last);
  return (text) => {
    if (text !== last) {
      result = make(text);
      last = text;
    }
    return result;
  };
}
