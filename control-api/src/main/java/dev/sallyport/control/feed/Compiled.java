package dev.sallyport.control.feed;

import dev.sallyport.control.proxy.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline in the vocabulary of the configuration.
 *
 * @param json the keys {@code transforms}, and {@code mcp} where there are MCP policies
 * @param hash SHA-256 of {@code json} in hexadecimal: equal pipelines have equal hashes
 * @param origins the policies that its parts come from
 * @param problems why it refuses everything; empty when it does as the policies say
 * @param unread the sources that its policies name and may not read there: requests that need them are refused
 */
public record Compiled(
        String json, String hash, Origins origins, List<Proxy.Problem> problems, List<Proxy.Problem> unread) {

    public Compiled {
        problems = List.copyOf(problems);
        unread = List.copyOf(unread);
    }

    /** The policy that a place in the pipeline comes from; null when it is none alone. */
    @Nullable String origin(String pointer) {
        return origins.of(pointer);
    }

    @Override
    public int hashCode() {
        return hash.hashCode();
    }

    /** Without the content. */
    @Override
    public String toString() {
        return "Compiled[" + hash + "]";
    }
}
