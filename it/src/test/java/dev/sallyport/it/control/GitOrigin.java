package dev.sallyport.it.control;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * A process that serves the Git repositories of a folder, at port 80 of an address, by git-http-backend(1), to whoever
 * has the password. Ends with its input.
 */
public final class GitOrigin {

    private static final int UNAUTHORIZED = 401;

    private final Path folder;
    private final String authorization;

    private GitOrigin(Path folder, String password) {
        this.folder = folder;
        this.authorization = "Basic "
                + Base64.getEncoder().encodeToString(("x-access-token:" + password).getBytes(StandardCharsets.UTF_8));
    }

    /** @param arguments folder, address, password */
    public static void main(String[] arguments) throws Exception {
        GitOrigin origin = new GitOrigin(Path.of(arguments[0]), arguments[2]);
        HttpServer server = HttpServer.create(new InetSocketAddress(arguments[1], 80), 0);
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", origin::answer);
        server.start();
        System.out.println("repositories are served");
        while (System.in.read() >= 0) {
            // Until the test ends.
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            String given = exchange.getRequestHeaders().getFirst("Authorization");
            System.out.println(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + given);
            byte[] body = exchange.getRequestBody().readAllBytes();
            if (!authorization.equals(given)) {
                exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"git\"");
                exchange.sendResponseHeaders(UNAUTHORIZED, -1);
                return;
            }
            reply(exchange, backend(exchange, body));
        }
    }

    /** As CGI has it (RFC 3875). */
    private byte[] backend(HttpExchange exchange, byte[] body) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("git", "http-backend");
        URI uri = exchange.getRequestURI();
        Map<String, String> environment = builder.environment();
        environment.put("GIT_PROJECT_ROOT", folder.toString());
        environment.put("GIT_HTTP_EXPORT_ALL", "1");
        environment.put("REQUEST_METHOD", exchange.getRequestMethod());
        environment.put("PATH_INFO", uri.getPath());
        environment.put("QUERY_STRING", text(uri.getRawQuery()));
        environment.put("REMOTE_USER", "x-access-token");
        environment.put("CONTENT_LENGTH", String.valueOf(body.length));
        environment.put("CONTENT_TYPE", text(exchange.getRequestHeaders().getFirst("Content-Type")));
        environment.put(
                "HTTP_CONTENT_ENCODING", text(exchange.getRequestHeaders().getFirst("Content-Encoding")));
        environment.put("GIT_PROTOCOL", text(exchange.getRequestHeaders().getFirst("Git-Protocol")));
        Process git = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Thread.ofVirtual().start(() -> {
            try (var in = git.getOutputStream()) {
                in.write(body);
            } catch (IOException e) {
                System.out.println("git has read no more: " + e.getMessage());
            }
        });
        try (InputStream out = git.getInputStream()) {
            return out.readAllBytes();
        }
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static void reply(HttpExchange exchange, byte[] answer) throws IOException {
        int at = 0;
        int status = 200;
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (at < answer.length) {
            byte next = answer[at++];
            if (next != '\n') {
                line.write(next);
                continue;
            }
            String field = line.toString(StandardCharsets.UTF_8).strip();
            line.reset();
            if (field.isEmpty()) {
                break;
            }
            String[] parts = field.split(": ", 2);
            if (parts[0].equals("Status")) {
                status = Integer.parseInt(parts[1].substring(0, 3));
            } else {
                exchange.getResponseHeaders().add(parts[0], parts[1]);
            }
        }
        int length = answer.length - at;
        exchange.sendResponseHeaders(status, length == 0 ? -1 : length);
        exchange.getResponseBody().write(answer, at, length);
    }
}
