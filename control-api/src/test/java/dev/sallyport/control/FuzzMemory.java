package dev.sallyport.control;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** What a run has learned from answers, and the secrets that went over the wire. */
final class FuzzMemory {

    private static final int KEPT = 40;
    private static final int SHORTEST_SECRET = 8;
    private static final String NO_CODE = "00000000000000000000000000";
    private static final Set<String> SECRET = Set.of("token", "password", "code", "secret");

    private final String key;
    private final List<String> proxyTokens = new ArrayList<>();
    private final Map<String, List<String>> ids = new HashMap<>();
    private final List<String> tags = new ArrayList<>(List.of("\"1\""));
    private final List<String> codes = new ArrayList<>(List.of(NO_CODE));
    private final List<String> cursors = new ArrayList<>();
    private final List<String> opaque = new ArrayList<>();
    private final Set<String> secrets = new LinkedHashSet<>();

    FuzzMemory(String key, String proxyToken, List<String> opaqueCursors) {
        this.key = key;
        this.proxyTokens.add(proxyToken);
        this.cursors.addAll(opaqueCursors);
        this.opaque.addAll(opaqueCursors);
        secrets.addAll(List.of(key, proxyToken));
    }

    /** The key with which requests are sent. */
    String key() {
        return key;
    }

    /** Remembers what is secret in a body that is going to be sent. */
    void sending(JsonNode body) {
        remember(body);
    }

    private void remember(JsonNode body) {
        for (String name : SECRET) {
            body.findValues(name).stream()
                    .filter(JsonNode::isTextual)
                    .map(JsonNode::textValue)
                    .filter(text -> text.length() >= SHORTEST_SECRET && !text.equals(NO_CODE))
                    .filter(text -> !text.matches("[a-z_]+")) // the codes of errors
                    .forEach(secrets::add);
        }
    }

    /** Learns from an answer of an operation. */
    void answered(String path, Api.Reply reply) {
        if (reply.status() >= 300
                || reply.text().isEmpty()
                || reply.header("Content-Type").startsWith("text/")) {
            return;
        }
        JsonNode body = reply.json();
        remember(body);
        String collection = path.replaceAll("/\\{.*", "");
        JsonNode one = body.has("data") ? body.path("data") : body;
        if (one.path("id").isTextual()) {
            keep(
                    ids.computeIfAbsent(collection, any -> new ArrayList<>()),
                    one.path("id").textValue());
        }
        if (one.path("code").isTextual()) {
            keep(codes, one.path("code").textValue());
        }
        if (one.path("token").asText().startsWith("sp_proxy_")) {
            keep(proxyTokens, one.path("token").textValue());
        }
        if (body.path("cursor").isTextual()) {
            keep(cursors, body.path("cursor").textValue());
        }
        if (!reply.header("ETag").isEmpty()) {
            keep(tags, reply.header("ETag"));
        }
    }

    private static void keep(List<String> list, String text) {
        list.add(text);
        if (list.size() > KEPT) {
            list.removeFirst();
        }
    }

    private static String oneOf(List<String> all, Random random) {
        return all.get(random.nextInt(all.size()));
    }

    String anyId(String path, Random random) {
        List<String> known = ids.get(path.replaceAll("/\\{.*", ""));
        return known == null ? "spol_" + NO_CODE : oneOf(known, random);
    }

    /** That of a proxy which may have been deleted. */
    String anyProxyToken(Random random) {
        return oneOf(proxyTokens, random);
    }

    String anyTag(Random random) {
        return oneOf(tags, random);
    }

    String anyCode(Random random) {
        return oneOf(codes, random);
    }

    String anyCursor(Random random) {
        return oneOf(cursors, random);
    }

    String anyOpaqueCursor(Random random) {
        return oneOf(opaque, random);
    }

    /** All that must stand nowhere. */
    Set<String> secrets() {
        return Set.copyOf(secrets);
    }
}
