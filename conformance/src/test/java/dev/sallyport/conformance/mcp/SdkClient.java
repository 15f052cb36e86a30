package dev.sallyport.conformance.mcp;

import dev.sallyport.testsupport.Patience;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.spec.McpClientTransport;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The Java SDK's client, and what it saw. */
final class SdkClient implements AutoCloseable {

    private static final int NOTES_OF_SLOW = 6;
    private static final Duration PATIENCE = Patience.usual();

    private final McpSyncClient client;
    private final BlockingQueue<String> notes = new LinkedBlockingQueue<>();
    private final BlockingQueue<List<String>> changes = new LinkedBlockingQueue<>();

    private SdkClient(McpClientTransport transport) {
        client = McpClient.sync(transport)
                .requestTimeout(PATIENCE)
                .initializationTimeout(PATIENCE)
                .clientInfo(McpSchema.Implementation.builder("client", "1").build())
                .capabilities(McpSchema.ClientCapabilities.builder()
                        .sampling()
                        .elicitation()
                        .build())
                .sampling(request -> McpSchema.CreateMessageResult.builder(
                                McpSchema.Role.ASSISTANT,
                                "I was asked " + request.messages().size(),
                                "model")
                        .build())
                .elicitation(request -> McpSchema.ElicitResult.builder(McpSchema.ElicitResult.Action.ACCEPT)
                        .content(Map.of("yes", true))
                        .build())
                .progressConsumer(note -> notes.add("progress " + note.progress() + " " + note.message()))
                .loggingConsumer(note -> notes.add("log " + note.level() + " " + note.data()))
                .toolsChangeConsumer(tools ->
                        changes.add(tools.stream().map(McpSchema.Tool::name).toList()))
                .build();
    }

    /** Over Streamable HTTP, with a stream to listen to from the start. */
    static SdkClient streamable(String url, String path, Consumer<HttpClient.Builder> settings) {
        return new SdkClient(HttpClientStreamableHttpTransport.builder(url)
                .endpoint(path)
                .openConnectionOnStartup(path.equals("/mcp"))
                .resumableStreams(true)
                .customizeClient(settings)
                .build());
    }

    /** Over HTTP with events, as in the revision 2024-11-05. */
    @SuppressWarnings("deprecation")
    static SdkClient legacy(String url, Consumer<HttpClient.Builder> settings) {
        return new SdkClient(HttpClientSseClientTransport.builder(url)
                .sseEndpoint("/legacy/sse")
                .customizeClient(settings)
                .build());
    }

    McpSyncClient sdk() {
        return client;
    }

    List<String> tools() {
        List<String> names = new ArrayList<>();
        McpSchema.ListToolsResult page = client.listTools();
        page.tools().forEach(tool -> names.add(tool.name()));
        return names;
    }

    String call(String tool, Map<String, Object> arguments) {
        McpSchema.CallToolResult result = client.callTool(CallToolRequest.builder(tool)
                .arguments(arguments)
                .progressToken(tool)
                .build());
        return ((McpSchema.TextContent) result.content().getFirst()).text();
    }

    /** The protocol's error with which a call ends. */
    String refusal(String tool, Map<String, Object> arguments) {
        try {
            return "no error: " + call(tool, arguments);
        } catch (McpError e) {
            return e.getJsonRpcError().code() + " " + e.getJsonRpcError().message();
        } catch (RuntimeException e) {
            return "no protocol's error: " + e;
        }
    }

    /** One of everything that both stateful transports can do. */
    List<String> everything() throws InterruptedException {
        List<String> said = new ArrayList<>();
        said.add(client.initialize().serverInfo() + " " + client.getServerCapabilities());
        client.setLoggingLevel(McpSchema.LoggingLevel.DEBUG);
        client.listTools().tools().forEach(tool -> said.add(tool.toString()));
        said.add(call("echo", Map.of("text", "\u00e9\ud83d\ude80 wipe")));
        said.add(call("send", Map.of("to", "friend@example.com")));
        said.add(call("slow", Map.of()));
        List<String> heard = new ArrayList<>();
        for (int i = 0; i < NOTES_OF_SLOW; i++) {
            heard.add(notes.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        said.add(heard.stream().sorted().toList().toString());
        said.add(call("ask", Map.of()));
        said.add(call("confirm", Map.of()));
        said.add(refusal("no-such-tool", Map.of()));
        said.add(client.listResources().resources().toString());
        said.add(client.readResource(
                        McpSchema.ReadResourceRequest.builder("memo://one").build())
                .contents()
                .toString());
        said.add(client.listPrompts().prompts().toString());
        said.add(client.getPrompt(McpSchema.GetPromptRequest.builder("greet").build())
                .messages()
                .toString());
        said.add(String.valueOf(client.ping()));
        said.add(call("grow", Map.of()));
        said.add("changed to " + change("grown"));
        return said;
    }

    /** The tools as they are after a change in which this one appears. */
    List<String> change(String tool) throws InterruptedException {
        List<String> tools = changes.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        while (tools != null && !tools.contains(tool)) {
            tools = changes.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        return tools == null ? List.of() : tools.stream().sorted().toList();
    }

    @Override
    public void close() {
        client.closeGracefully();
    }
}
