package dev.sallyport.conformance.mcp;

import dev.sallyport.conformance.OriginFiles;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServer.SyncSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletSseServerTransportProvider;
import io.modelcontextprotocol.server.transport.HttpServletStatelessServerTransport;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import jakarta.servlet.Servlet;
import java.nio.file.Files;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** The Java SDK's server over each of its transports, in plaintext and over TLS. */
final class SdkServer implements AutoCloseable {

    static final List<String> TOOLS = List.of("echo", "send", "slow", "ask", "confirm", "grow", "wipe");

    private static final Map<String, Object> ANYTHING = Map.of("type", "object");
    private static final String STREAMABLE = "/mcp";
    private static final String STATELESS = "/stateless";
    private static final String EVENTS = "/legacy/sse";
    private static final String MESSAGES = "/legacy/message";

    private final Server jetty = new Server();
    private final ServerConnector plain = new ServerConnector(jetty);
    private final ServerConnector secure;
    private final List<String> called = new CopyOnWriteArrayList<>();
    private final McpSyncServer streamableServer;
    private final McpSyncServer legacyServer;

    SdkServer(OriginFiles origin) throws Exception {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setKeyStore(keys(origin));
        tls.setKeyStorePassword("");
        secure = new ServerConnector(jetty, new SslConnectionFactory(tls, "http/1.1"), new HttpConnectionFactory());
        ServletContextHandler servlets = new ServletContextHandler("/");
        var streamable = HttpServletStreamableServerTransportProvider.builder()
                .mcpEndpoint(STREAMABLE)
                .build();
        var legacy = legacyTransport();
        var stateless = HttpServletStatelessServerTransport.builder()
                .messageEndpoint(STATELESS)
                .build();
        streamableServer = stateful(McpServer.sync(streamable)).build();
        legacyServer = stateful(McpServer.sync(legacy)).build();
        McpServer.sync(stateless)
                .serverInfo("sdk", "1")
                .capabilities(
                        McpSchema.ServerCapabilities.builder().tools(false).build())
                .toolCall(tool("echo"), (context, request) -> echo(request))
                .toolCall(tool("send"), (context, request) -> note(request))
                .toolCall(tool("wipe"), (context, request) -> note(request))
                .build();
        mount(servlets, streamable, STREAMABLE);
        mount(servlets, legacy, "/legacy/*");
        mount(servlets, stateless, STATELESS);
        jetty.setHandler(servlets);
        jetty.addConnector(plain);
        jetty.addConnector(secure);
        jetty.start();
    }

    /** Deprecated by its authors, and still spoken. */
    @SuppressWarnings("deprecation")
    private static HttpServletSseServerTransportProvider legacyTransport() {
        return HttpServletSseServerTransportProvider.builder()
                .sseEndpoint(EVENTS)
                .messageEndpoint(MESSAGES)
                .build();
    }

    private static void mount(ServletContextHandler servlets, Servlet servlet, String path) {
        ServletHolder holder = new ServletHolder(servlet);
        holder.setAsyncSupported(true);
        servlets.addServlet(holder, path);
    }

    private static KeyStore keys(OriginFiles origin) throws Exception {
        Certificate certificate;
        try (var pem = Files.newInputStream(origin.certificate)) {
            certificate = CertificateFactory.getInstance("X.509").generateCertificate(pem);
        }
        String key = Files.readString(origin.key).replaceAll("-----[A-Z ]+-----", "");
        PrivateKey secret = KeyFactory.getInstance("EC")
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(key)));
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setKeyEntry("origin", secret, new char[0], new Certificate[] {certificate});
        return store;
    }

    String url(boolean tls) {
        return (tls ? "https://localhost:" : "http://localhost:") + (tls ? secure : plain).getLocalPort();
    }

    /** The tools that were run, in order. */
    List<String> called() {
        return List.copyOf(called);
    }

    private <S extends SyncSpecification<S>> S stateful(S server) {
        server.serverInfo("sdk", "1")
                .capabilities(McpSchema.ServerCapabilities.builder()
                        .tools(true)
                        .logging()
                        .resources(false, false)
                        .prompts(false)
                        .build())
                .toolCall(tool("echo"), (exchange, request) -> echo(request))
                .toolCall(tool("send"), (exchange, request) -> note(request))
                .toolCall(tool("slow"), this::slow)
                .toolCall(tool("ask"), this::ask)
                .toolCall(tool("confirm"), this::confirm)
                .toolCall(tool("grow"), (exchange, request) -> grow())
                .toolCall(tool("wipe"), (exchange, request) -> note(request))
                .resources(new SyncResourceSpecification(
                        McpSchema.Resource.builder("memo://one", "one").build(),
                        (exchange, request) -> McpSchema.ReadResourceResult.builder(
                                        List.of(McpSchema.TextResourceContents.builder(request.uri(), "first")
                                                .mimeType("text/plain")
                                                .build()))
                                .build()))
                .prompts(new SyncPromptSpecification(
                        McpSchema.Prompt.builder("greet").build(),
                        (exchange, request) -> McpSchema.GetPromptResult.builder(List.of(new McpSchema.PromptMessage(
                                        McpSchema.Role.USER,
                                        McpSchema.TextContent.builder("hello").build())))
                                .description("greeting")
                                .build()));
        return server;
    }

    private static McpSchema.Tool tool(String name) {
        return McpSchema.Tool.builder(name, ANYTHING)
                .description("what " + name + " does")
                .build();
    }

    private static CallToolResult text(String text) {
        return CallToolResult.builder().addTextContent(text).build();
    }

    private CallToolResult echo(CallToolRequest request) {
        called.add("echo");
        return text("echoed " + request.arguments());
    }

    private CallToolResult note(CallToolRequest request) {
        called.add(request.name());
        return text(request.name() + " was run");
    }

    private CallToolResult slow(McpSyncServerExchange exchange, CallToolRequest request) {
        Object token = request.progressToken();
        for (int step = 1; step <= 3; step++) {
            exchange.progressNotification(McpSchema.ProgressNotification.builder(token, step)
                    .total(3.0)
                    .message("step " + step)
                    .build());
            exchange.loggingNotification(
                    new McpSchema.LoggingMessageNotification(McpSchema.LoggingLevel.INFO, "slow", "line " + step));
        }
        return text("slow has ended");
    }

    private CallToolResult ask(McpSyncServerExchange exchange, CallToolRequest request) {
        McpSchema.CreateMessageResult answer = exchange.createMessage(McpSchema.CreateMessageRequest.builder(
                        List.of(new McpSchema.SamplingMessage(
                                McpSchema.Role.USER,
                                McpSchema.TextContent.builder("who are you?").build())),
                        100)
                .build());
        return text("the model says " + ((McpSchema.TextContent) answer.content()).text());
    }

    private CallToolResult confirm(McpSyncServerExchange exchange, CallToolRequest request) {
        McpSchema.ElicitResult answer = exchange.createElicitation(McpSchema.ElicitFormRequest.builder(
                        "sure?", Map.of("type", "object", "properties", Map.of("yes", Map.of("type", "boolean"))))
                .build());
        return text("the user says " + answer.action() + " " + answer.content());
    }

    /** Adds a tool, of which clients are told on their listening streams. */
    private CallToolResult grow() {
        shrink();
        for (McpSyncServer server : List.of(streamableServer, legacyServer)) {
            server.addTool(SyncToolSpecification.builder()
                    .tool(tool("grown"))
                    .callHandler((exchange, call) -> note(call))
                    .build());
        }
        return text("there is one more");
    }

    /** Has no more tools than at first. */
    void shrink() {
        for (McpSyncServer server : List.of(streamableServer, legacyServer)) {
            if (server.listTools().stream().anyMatch(tool -> tool.name().equals("grown"))) {
                server.removeTool("grown");
            }
        }
    }

    @Override
    public void close() throws Exception {
        jetty.stop();
    }
}
