package dev.sallyport.control.proxy;

import java.time.Instant;
import java.util.List;

/** A proxy with its token, which is shown here and never again. */
public record NewProxy(String id, String name, List<String> tags, String prefix, String token, Instant createdAt) {

    public NewProxy {
        tags = List.copyOf(tags);
    }

    /** What is known of it, without the token. */
    Proxy withoutToken() {
        return new Proxy(id, name, tags, prefix, Proxy.Status.NEW, createdAt, null, null, List.of());
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "NewProxy[" + id + "]";
    }
}
