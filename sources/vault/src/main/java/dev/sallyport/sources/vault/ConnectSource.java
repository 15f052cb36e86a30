package dev.sallyport.sources.vault;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sallyport.spi.SecretException;
import dev.sallyport.spi.SecretSource;
import dev.sallyport.spi.SecretValue;
import dev.sallyport.spi.SourceContext;
import java.net.URI;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds vault, item and field on a Connect server. A text in the form of an id is tried as an id first, then as a name.
 */
record ConnectSource(SecretReference reference, String hostEnv, String tokenEnv, SourceContext context)
        implements SecretSource {

    /** The vendor's form: 26 lower-case letters and digits. */
    private static final Pattern ID = Pattern.compile("[a-z0-9]{26}");

    @Override
    public String name() {
        return reference.text();
    }

    @Override
    public SecretValue read() throws SecretException, InterruptedException {
        try {
            ConnectApi api = new ConnectApi(base(), Fields.token(tokenEnv, context), tokenEnv, context.http());
            String vault = ConnectApi.id(vault(api), "vault");
            String value = ItemFields.value(item(api, vault), reference);
            if (value.isEmpty()) {
                throw new SecretException("it is empty");
            }
            return SecretValue.of(value);
        } catch (SecretException e) {
            throw new SecretException(context.type() + " " + name() + ": " + e.getMessage());
        }
    }

    private JsonNode vault(ConnectApi api) throws SecretException, InterruptedException {
        return find(api, "vault", reference.vault(), "/v1/vaults", "name", vault -> true);
    }

    private JsonNode item(ConnectApi api, String vault) throws SecretException, InterruptedException {
        String path = "/v1/vaults/" + ConnectApi.encoded(vault) + "/items";
        JsonNode found = find(api, "item", reference.item(), path, "title", ConnectSource::isInUse);
        return found.has("fields")
                ? found
                : api.get(path + "/" + ConnectApi.encoded(ConnectApi.id(found, "item")), "item");
    }

    private static boolean isInUse(JsonNode item) {
        String state = item.path("state").asText();
        return !state.equals("ARCHIVED") && !state.equals("DELETED");
    }

    private JsonNode find(
            ConnectApi api, String noun, String name, String path, String nameKey, Predicate<JsonNode> eligible)
            throws SecretException, InterruptedException {
        if (ID.matcher(name).matches()) {
            JsonNode byId = api.ask(path + "/" + name, noun);
            if (byId != null) {
                return byId;
            }
        }
        JsonNode byName = NameSelector.among(api.list(path, nameKey, name, noun), eligible)
                .named(name, node -> node.path(nameKey).asText(), noun);
        if (byName == null) {
            throw new SecretException("there is no " + noun + " \"" + name + "\", or the token may not see it");
        }
        return byName;
    }

    /** The server's URL without a slash at its end. */
    private String base() throws SecretException {
        String host = Fields.valueOf(hostEnv, context);
        URI uri = uri(host);
        String scheme = uri == null ? "" : String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        boolean web = scheme.equals("http") || scheme.equals("https");
        if (uri == null
                || !web
                || uri.getHost() == null
                || uri.getRawUserInfo() != null
                || uri.getRawQuery() != null
                || uri.getRawFragment() != null) {
            throw new SecretException("environment variable " + hostEnv
                    + " is not the URL of a server (expected: one such as http://connect:8080)");
        }
        return host.replaceAll("/+$", "");
    }

    private static @Nullable URI uri(String text) {
        try {
            return URI.create(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    @Override
    public String toString() {
        return "ConnectSource[" + name() + "]";
    }
}
