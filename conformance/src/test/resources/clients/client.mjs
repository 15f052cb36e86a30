// Sends one request through a tunnel: client.mjs PROXY_PORT ORIGIN_PORT CA_FILE h1|h2
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import tls from "node:tls";

const [proxyPort, originPort, caFile, version] = process.argv.slice(2);
const path = "/matrix/a%20b?q=1&r=%2F";
const body = "hello, origin\n";
const headers = {
  accept: "application/json",
  "content-type": "text/plain",
  "content-length": body.length,
  authorization: "Bearer PLACEHOLDER_TOKEN",
  "x-one": "1",
};

function answered(status, stream) {
  let text = "";
  stream.on("data", (data) => (text += data));
  stream.on("end", () => {
    console.log(status(), text);
    process.exit(0);
  });
}

const tunnel = http.request({
  host: "127.0.0.1",
  port: proxyPort,
  method: "CONNECT",
  path: `localhost:${originPort}`,
});
tunnel.on("connect", (response, socket) => {
  const secure = tls.connect({
    socket,
    servername: "localhost",
    ca: fs.readFileSync(caFile),
    ALPNProtocols: [version === "h2" ? "h2" : "http/1.1"],
  });
  secure.on("secureConnect", () => {
    if (version === "h2") {
      const session = http2.connect(`https://localhost:${originPort}`, { createConnection: () => secure });
      const stream = session.request({ ":method": "POST", ":path": path, ...headers });
      stream.setEncoding("utf8");
      let status;
      stream.on("response", (head) => (status = head[":status"]));
      answered(() => status, stream);
      stream.end(body);
    } else {
      const request = https.request({
        createConnection: () => secure,
        host: "localhost",
        port: originPort,
        method: "POST",
        path,
        headers,
      });
      request.on("response", (response) => answered(() => response.statusCode, response));
      request.end(body);
    }
  });
});
tunnel.end();
