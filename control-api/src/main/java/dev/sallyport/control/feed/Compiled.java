package dev.sallyport.control.feed;

import dev.sallyport.control.proxy.Proxy;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A pipeline in the vocabulary of the configuration.
 *
 * @param json the keys {@code transforms}, and {@code mcp} where there are MCP policies
 * @param hash SHA-256 of {@code json} in hexadecimal: equal pipelines have equal hashes
 * @param origins the policies that its parts come from
 * @param problems why it refuses everything; empty when it does as the policies say
 * @param unread what of its policies is left out, such as sources that may not be read there: requests that need it are refused
 */
public record Compiled(
        String json, String hash, Origins origins, List<Proxy.Problem> problems, List<Proxy.Problem> unread) {

    public Compiled {
        problems = List.copyOf(problems);
        unread = List.copyOf(unread);
    }

    /** All that is to be told of it. */
    List<Proxy.Problem> told() {
        return Stream.concat(problems.stream(), unread.stream()).toList();
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
