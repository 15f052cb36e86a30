// client.mjs streamable|legacy URL TOOL...: what the official SDK's client sees of a server, a line for each thing.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const [kind, url, ...calls] = process.argv.slice(2);
const client = new Client({ name: 'client', version: '1' }, { capabilities: { sampling: {}, elicitation: {} } });
const heard = [];
client.setRequestHandler(CreateMessageRequestSchema, () => ({
  role: 'assistant',
  model: 'm',
  content: { type: 'text', text: 'sampled' }
}));
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { response: 'yes' } }));
client.setNotificationHandler(LoggingMessageNotificationSchema, note => {
  heard.push(`log ${note.params.data}`);
});
const say = (name, value) => console.log(`${name}: ${JSON.stringify(value)}`);

const transport = kind === 'legacy' ? new SSEClientTransport(new URL(url)) : new StreamableHTTPClientTransport(new URL(url));
await client.connect(transport);
say('server', client.getServerVersion());
say('tools', (await client.listTools()).tools.map(tool => tool.name).sort());
for (const name of calls) {
  try {
    const result = await client.callTool(
      { name, arguments: { prompt: 'who?', message: 'sure?' } },
      undefined,
      { timeout: 10000, onprogress: () => heard.includes('progress') || heard.push('progress') }
    );
    say(name, result);
  } catch (error) {
    say(`${name} failed`, { code: error.code, message: error.message.replace(/"exchange_id":"[^"]*"/, '') });
  }
}
say('heard', heard);
say('resources', (await client.listResources()).resources);
say('read', await client.readResource({ uri: 'test://template/7/data' }));
say('prompts', (await client.listPrompts()).prompts);
say('prompt', await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } }));
say('ping', await client.ping());
if (kind !== 'legacy') {
  await transport.terminateSession();
}
await client.close();
