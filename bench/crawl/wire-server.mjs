// A raw server for the wire benchmark: answers every request with one fixed page, in a process of its own.
import net from "node:net";

const bytes = Number(process.argv[2] ?? 5120);
const body = "x".repeat(bytes);
const response = Buffer.from(
  "HTTP/1.1 200 OK\r\nServer: bench\r\nDate: Sat, 15 Nov 2025 21:00:00 GMT\r\nContent-Type: text/html; charset=utf-8\r\n" +
    `Content-Length: ${bytes}\r\nConnection: keep-alive\r\nVary: Accept-Encoding\r\nETag: "abc"\r\n\r\n${body}`,
  "latin1",
);
const server = net.createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => socket.destroy());
  socket.on("data", (data) => {
    // Requests are small and come one at a time, so each ends with its own segment.
    if (data.length >= 4 && data[data.length - 1] === 10 && data[data.length - 3] === 10)
      socket.write(response);
  });
});
server.listen(0, "127.0.0.1", () => process.send(server.address().port));
process.on("disconnect", () => process.exit());
