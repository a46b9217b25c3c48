const REASONS: Record<number, string> = {
  200: "OK",
  301: "Moved Permanently",
  302: "Found",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  413: "Content Too Large",
  421: "Misdirected Request",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
  505: "HTTP Version Not Supported",
};

/** The status line and headers of a response, without the empty line that ends them. */
export function headText(status: number, headers: Record<string, string | number>): string {
  // No Date: the same web must answer with the same bytes, whenever it is asked.
  let text = `HTTP/1.1 ${status} ${REASONS[status] ?? "Unnamed"}\r\nServer: orbweaver-web\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  return text;
}

/** A whole short response of plain text, ready to send. */
export function plainResponse(
  status: number,
  text: string,
  headOnly: boolean,
  headers: Record<string, string | number> = {},
): Buffer {
  const body = Buffer.from(text);
  const head = `${headText(status, {
    "Content-Type": "text/plain; charset=utf-8",
    "Content-Length": body.length,
    ...headers,
  })}\r\n`;
  return headOnly
    ? Buffer.from(head, "latin1")
    : Buffer.concat([Buffer.from(head, "latin1"), body]);
}
