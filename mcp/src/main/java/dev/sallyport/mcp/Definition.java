package dev.sallyport.mcp;

import dev.sallyport.mcp.json.Json;
import dev.sallyport.mcp.json.JsonWriter;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/** The digest of a tool's definition, over everything that a client or its model acts upon. */
final class Definition {

    private Definition() {}

    /**
     * {@code sha256:} and the digest of the canonical JSON (RFC 8785) of a definition without its members {@code _meta}
     * and {@code icons}, which may change each time and which no model reads.
     */
    static String digest(Json.Obj tool) {
        Map<String, Json> members = new LinkedHashMap<>(tool.members());
        members.remove("_meta");
        members.remove("icons");
        byte[] canonical = JsonWriter.canonical(new Json.Obj(members, 0, 0)).getBytes(StandardCharsets.UTF_8);
        try {
            return "sha256:"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(canonical));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
