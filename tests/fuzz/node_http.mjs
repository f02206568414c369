/**
 * Parses requests with the HTTP server of Node.js (llhttp, strict). Reads a line of hexadecimal bytes for each
 * connection; writes a line of JSON with the requests that were received completely.
 *
 * @module
 */
import http from "node:http";
import process from "node:process";
import readline from "node:readline";
import { Duplex } from "node:stream";

const server = http.createServer({ maxHeaderSize: 65_536, keepAliveTimeout: 0 });

function parse(bytes) {
  return new Promise((resolve) => {
    const requests = [];
    const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
    const onRequest = (request, response) => {
      const body = [];
      request.on("data", (chunk) => body.push(chunk));
      request.on("error", () => {});
      request.on("end", () => {
        const { method, url, rawHeaders } = request;
        requests.push({ method, url, headers: rawHeaders, body: Buffer.concat(body).toString("hex") });
        response.end();
      });
    };
    server.on("request", onRequest);
    // Later, because the end of a complete request before the error is reported in another turn.
    server.on("clientError", () => setImmediate(() => setImmediate(() => socket.destroy())));
    socket.on("error", () => {});
    const finish = () => {
      server.removeAllListeners("request").removeAllListeners("clientError");
      resolve(requests);
    };
    const timer = setTimeout(() => socket.destroy(), 200);
    socket.on("close", () => {
      clearTimeout(timer);
      setImmediate(finish);
    });
    server.emit("connection", socket);
    socket.push(bytes);
    socket.push(null);
  });
}

process.stdout.write(`${JSON.stringify(http.METHODS)}\n`);
for await (const line of readline.createInterface({ input: process.stdin })) {
  const requests = await parse(Buffer.from(line, "hex"));
  process.stdout.write(`${JSON.stringify(requests)}\n`);
}
process.exit(0);
