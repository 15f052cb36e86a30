// mounts.mjs routed|mounted|router: a stateless server of the official SDK under Express: at a route, mounted below a
// path, or at the root of a router that is mounted there. Prints its port.
import express from 'express';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

async function handle(request, response) {
  const server = new McpServer({ name: 'mounts', version: '1.0.0' });
  server.registerTool('wipe', {}, () => ({ content: [{ type: 'text', text: 'wiped' }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response, request.body);
}

const app = express();
app.use(express.json());
switch (process.argv[2]) {
  case 'routed':
    app.post('/mcp', handle);
    break;
  case 'mounted':
    app.use('/mcp', handle);
    break;
  default: {
    const router = express.Router();
    router.post('/', handle);
    app.use('/mcp', router);
  }
}
const listener = app.listen(0, '127.0.0.1', () => console.log(`port ${listener.address().port}`));
