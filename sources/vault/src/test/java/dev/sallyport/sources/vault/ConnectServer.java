package dev.sallyport.sources.vault;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that follows the vendor's description of the Connect API: bearer token, filters in the manner of SCIM with
 * strings as in JSON, lists without fields, items with them. Thread-safe.
 */
final class ConnectServer implements AutoCloseable {

    static final String TOKEN = "eyJhbGciOiJFUzI1NiIs.connect-token.nobody-may-see";

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Pattern FILTER = Pattern.compile("(name|title) eq (\"(?:[^\"\\\\\\p{Cntrl}]|\\\\.)*\")");
    private static final Pattern PATH =
            Pattern.compile("/v1/vaults(?:/(?<vault>[^/]+)(?:(?<items>/items)(?:/(?<item>[^/]+))?)?)?");

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final ArrayNode vaults = JSON.createArrayNode();
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> faults = new CopyOnWriteArrayList<>();
    private volatile int status;
    private volatile String body = "";
    private volatile boolean silent;

    ConnectServer() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Adds a vault with these items, in the form that the API shows them in. */
    synchronized ConnectServer vault(String id, String name, String... items) throws IOException {
        ObjectNode vault = vaults.addObject().put("id", id).put("name", name);
        ArrayNode all = vault.putArray("items");
        for (String item : items) {
            all.add(JSON.readTree(item));
        }
        return this;
    }

    /** Empties every vault and takes all away. */
    synchronized ConnectServer clear() {
        vaults.removeAll();
        return this;
    }

    /** Answers everything so, to those who have the token. */
    ConnectServer always(int code, String text) {
        body = text;
        status = code;
        return this;
    }

    /** Takes requests and says nothing. */
    ConnectServer silent() {
        silent = true;
        return this;
    }

    /** Path and query of what came, in order, decoded. */
    List<String> requests() {
        return List.copyOf(requests);
    }

    /** What was wrong with requests. */
    List<String> faults() {
        return List.copyOf(faults);
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String query = exchange.getRequestURI().getRawQuery();
            requests.add(exchange.getRequestURI().getPath()
                    + (query == null ? "" : "?" + URLDecoder.decode(query, StandardCharsets.UTF_8)));
            if (!("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                send(exchange, 401, error(401, "Invalid token signature"));
            } else if (silent) {
                closing.await();
            } else if (status != 0) {
                send(exchange, status, body);
            } else {
                answer(exchange, query == null ? "" : query);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void answer(HttpExchange exchange, String query) throws IOException {
        Matcher path = PATH.matcher(exchange.getRequestURI().getPath());
        if (!exchange.getRequestMethod().equals("GET") || !path.matches()) {
            faults.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            send(exchange, 404, error(404, "Not found"));
            return;
        }
        JsonNode vault = byId(vaults, path.group("vault"));
        if (path.group("vault") == null) {
            list(exchange, vaults, "name", query);
        } else if (vault == null) {
            send(exchange, 403, error(403, "Authorization: token does not have access to this vault"));
        } else if (path.group("items") == null) {
            send(exchange, 200, without(vault, "items").toString());
        } else if (path.group("item") == null) {
            list(exchange, vault.path("items"), "title", query);
        } else {
            JsonNode item = byId(vault.path("items"), path.group("item"));
            send(exchange, item == null ? 404 : 200, item == null ? error(404, "Item not found") : item.toString());
        }
    }

    private void list(HttpExchange exchange, JsonNode all, String key, String query) throws IOException {
        Matcher filter = FILTER.matcher(
                query.startsWith("filter=")
                        ? URLDecoder.decode(query.substring("filter=".length()), StandardCharsets.UTF_8)
                        : "");
        if (query.contains("+") || !filter.matches() || !filter.group(1).equals(key)) {
            faults.add("filter " + query);
            send(exchange, 400, error(400, "Invalid filter"));
            return;
        }
        String wanted = JSON.readTree(filter.group(2)).asText();
        ArrayNode found = JSON.createArrayNode();
        for (JsonNode node : all) {
            if (node.path(key).asText().equalsIgnoreCase(wanted)) {
                found.add(without(without(node, "items"), "fields"));
            }
        }
        send(exchange, 200, found.toString());
    }

    private static JsonNode byId(JsonNode all, String id) {
        for (JsonNode node : all) {
            if (node.path("id").asText().equals(id)) {
                return node;
            }
        }
        return null;
    }

    private static JsonNode without(JsonNode node, String key) {
        ObjectNode copy = node.deepCopy();
        copy.remove(key);
        return copy;
    }

    private static String error(int status, String message) {
        return JSON.createObjectNode()
                .put("status", status)
                .put("message", message)
                .toString();
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.close();
    }
}
