package dev.sallyport.core.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.sallyport.spi.Problems;
import dev.sallyport.spi.SecretRef;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code proxy.auth}: the users of the tunnel. */
public record ProxyAuth(
        @JsonProperty(required = true)
        @JsonPropertyDescription("The users. Without a workload, audit records call a user user:NAME.")
        List<User> users,

        @JsonProperty(defaultValue = "false") @JsonPropertyDescription("Refuse workloads without credentials.")
        boolean required)
        implements SelfValidating {

    private static final int SOCKS_NAME_BYTES = 255;

    public ProxyAuth {
        users = List.copyOf(users);
    }

    /** A workload and its password. */
    public record User(
            @JsonProperty(required = true) @JsonPropertyDescription("User name.")
            String name,

            @JsonProperty(required = true) @JsonPropertyDescription("Source of the password.")
            SecretRef password) {}

    @Override
    public void check(Problems problems) {
        if (users.isEmpty()) {
            problems.add("/users", "an empty list", "at least one user");
        }
        Set<String> names = new HashSet<>();
        for (int i = 0; i < users.size(); i++) {
            String name = users.get(i).name();
            String pointer = "/users/" + i + "/name";
            if (!names.add(name)) {
                problems.add(pointer, "a duplicate user name", "each name once");
            }
            // RFC 7617, 2: the first colon ends the name; RFC 1929, 2: the length is one byte.
            boolean printable = name.chars().noneMatch(c -> c < ' ' || c == 0x7F || c == ':');
            int bytes = name.getBytes(StandardCharsets.UTF_8).length;
            if (!printable || bytes == 0 || bytes > SOCKS_NAME_BYTES) {
                problems.add(pointer, "not a user name", "1 to 255 bytes without colons and control characters");
            }
        }
    }
}
