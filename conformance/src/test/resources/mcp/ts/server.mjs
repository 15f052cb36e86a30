// A server of the official SDK with everything that the public suite asks for, over Streamable HTTP at /mcp and over
// the transport of 2024-11-05 at /sse. Prints its port.
import { randomUUID } from 'node:crypto';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { createMcpExpressApp } from '@modelcontextprotocol/sdk/server/express.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SOUND = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const pause = ms => new Promise(resolve => setTimeout(resolve, ms));
const text = value => ({ type: 'text', text: value });
const image = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const embedded = (uri, mimeType, content) => ({ type: 'resource', resource: { uri, mimeType, text: content } });
const strings = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
  required: names
});

async function elicit(extra, message, properties, required = []) {
  const answer = await extra.sendRequest(
    { method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties, required } } },
    types.ElicitResultSchema
  );
  return `action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
}

const OPTIONS = ['option1', 'option2', 'option3'];
const titled = kind => [1, 2, 3].map(n => ({ const: `value${n}`, title: `${['First', 'Second', 'Third'][n - 1]} ${kind}` }));

const ADDRESSED = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false
};

const tools = {
  test_simple_text: { run: () => [text('This is a simple text response for testing.')] },
  test_image_content: { run: () => [image] },
  test_audio_content: { run: () => [{ type: 'audio', data: SOUND, mimeType: 'audio/wav' }] },
  test_embedded_resource: {
    run: () => [embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')]
  },
  test_multiple_content_types: {
    run: () => [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', JSON.stringify({ test: 'data', value: 123 }))
    ]
  },
  test_tool_with_logging: {
    run: async (args, extra) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
        await pause(20);
      }
      return [text('Tool with logging executed successfully')];
    }
  },
  test_tool_with_progress: {
    run: async (args, extra) => {
      const progressToken = extra._meta?.progressToken ?? 0;
      for (const progress of [0, 50, 100]) {
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100, message: `Completed step ${progress} of 100` }
        });
        await pause(20);
      }
      return [text(String(progressToken))];
    }
  },
  test_error_handling: {
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    }
  },
  test_reconnection: {
    run: async (args, extra) => {
      transports.get(extra.sessionId)?.closeSSEStream?.(extra.requestId);
      await pause(100);
      return [text('Reconnection test completed successfully.')];
    }
  },
  test_sampling: {
    schema: strings('prompt'),
    run: async (args, extra) => {
      const answer = await extra.sendRequest(
        {
          method: 'sampling/createMessage',
          params: { messages: [{ role: 'user', content: text(args.prompt) }], maxTokens: 100 }
        },
        types.CreateMessageResultSchema
      );
      return [text(`LLM response: ${answer.content.text}`)];
    }
  },
  test_elicitation: {
    schema: strings('message'),
    run: async (args, extra) => [
      text(`User response: ${await elicit(extra, args.message, { response: { type: 'string' } }, ['response'])}`)
    ]
  },
  test_elicitation_sep1034_defaults: {
    run: async (args, extra) => [
      text(
        `Elicitation completed: ${await elicit(extra, 'Please review', {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true }
        })}`
      )
    ]
  },
  test_elicitation_sep1330_enums: {
    run: async (args, extra) => [
      text(
        `Elicitation completed: ${await elicit(extra, 'Please select', {
          untitledSingle: { type: 'string', enum: OPTIONS },
          titledSingle: { type: 'string', oneOf: titled('Option') },
          legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
          untitledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { type: 'string', enum: OPTIONS } },
          titledMulti: { type: 'array', minItems: 1, maxItems: 3, items: { anyOf: titled('Choice') } }
        })}`
      )
    ]
  },
  json_schema_2020_12_tool: { schema: ADDRESSED, run: args => [text(JSON.stringify(args))] },
  wipe: { run: () => [text('wiped')] }
};

const contents = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: PIXEL },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' }
};

const prompts = {
  test_simple_prompt: { run: () => [text('This is a simple prompt for testing.')] },
  test_prompt_with_arguments: {
    names: ['arg1', 'arg2'],
    run: args => [text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`)]
  },
  test_prompt_with_embedded_resource: {
    names: ['resourceUri'],
    run: args => [
      embedded(args.resourceUri, 'text/plain', 'Embedded resource content for testing.'),
      text('Please process the embedded resource above.')
    ]
  },
  test_prompt_with_image: { run: () => [image, text('Please analyze the image above.')] }
};

function read(uri) {
  const template = /^test:\/\/template\/([^/]+)\/data$/.exec(uri);
  if (template) {
    const data = { id: template[1], templateTest: true, data: `Data for ID: ${template[1]}` };
    return { mimeType: 'application/json', text: JSON.stringify(data) };
  }
  if (!contents[uri]) {
    throw new types.McpError(-32002, 'Resource not found', { uri });
  }
  return contents[uri];
}

function create() {
  const server = new Server(
    { name: 'everything', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        logging: {},
        completions: {}
      }
    }
  );
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, tool]) => ({
      name,
      description: `Runs ${name}`,
      inputSchema: tool.schema ?? { type: 'object', properties: {} }
    }))
  }));
  server.setRequestHandler(types.CallToolRequestSchema, async (request, extra) => {
    const tool = tools[request.params.name];
    if (!tool) {
      throw new types.McpError(types.ErrorCode.InvalidParams, `Unknown tool: ${request.params.name}`);
    }
    try {
      return { content: await tool.run(request.params.arguments ?? {}, extra) };
    } catch (error) {
      return { isError: true, content: [text(error.message)] };
    }
  });
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({
    resources: Object.keys(contents).map(uri => ({ uri, name: uri.slice(7), mimeType: contents[uri].mimeType }))
  }));
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }]
  }));
  server.setRequestHandler(types.ReadResourceRequestSchema, request => ({
    contents: [{ uri: request.params.uri, ...read(request.params.uri) }]
  }));
  server.setRequestHandler(types.SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(types.UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(types.SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(types.CompleteRequestSchema, () => ({ completion: { values: [], total: 0, hasMore: false } }));
  server.setRequestHandler(types.ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, prompt]) => ({
      name,
      description: `Prompts ${name}`,
      arguments: (prompt.names ?? []).map(argument => ({ name: argument, required: true }))
    }))
  }));
  server.setRequestHandler(types.GetPromptRequestSchema, request => ({
    messages: prompts[request.params.name].run(request.params.arguments ?? {}).map(content => ({ role: 'user', content }))
  }));
  return server;
}

/** What was sent, for clients that come back. */
function memory() {
  const events = [];
  return {
    async storeEvent(streamId, message) {
      events.push({ streamId, message });
      return `${streamId}::${events.length}`;
    },
    async replayEventsAfter(lastEventId, { send }) {
      const [streamId, last] = lastEventId.split('::');
      for (let i = Number(last); i < events.length; i++) {
        if (events[i].streamId === streamId && Object.keys(events[i].message).length > 0) {
          await send(`${streamId}::${i + 1}`, events[i].message);
        }
      }
      return streamId;
    }
  };
}

const transports = new Map();
const app = createMcpExpressApp();
const refuse = (response, status) =>
  response.status(status).json({ jsonrpc: '2.0', error: { code: -32000, message: 'No such session' }, id: null });

app.post('/mcp', async (request, response) => {
  const session = request.headers['mcp-session-id'];
  if (transports.has(session)) {
    await transports.get(session).handleRequest(request, response, request.body);
  } else if (!session && request.body?.method === 'initialize') {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: memory(),
      retryInterval: 500,
      onsessioninitialized: id => transports.set(id, transport)
    });
    transport.onclose = () => transports.delete(transport.sessionId);
    await create().connect(transport);
    await transport.handleRequest(request, response, request.body);
  } else {
    refuse(response, session ? 404 : 400);
  }
});

for (const method of ['get', 'delete']) {
  app[method]('/mcp', async (request, response) => {
    const transport = transports.get(request.headers['mcp-session-id']);
    await (transport ? transport.handleRequest(request, response) : refuse(response, 400));
  });
}

app.get('/sse', async (request, response) => {
  const transport = new SSEServerTransport('/messages', response);
  transports.set(transport.sessionId, transport);
  await create().connect(transport);
});

app.post('/messages', async (request, response) => {
  const transport = transports.get(request.query.sessionId);
  await (transport ? transport.handlePostMessage(request, response, request.body) : refuse(response, 404));
});

const listener = app.listen(0, '127.0.0.1', () => console.log(`port ${listener.address().port}`));
