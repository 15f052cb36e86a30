package dev.sallyport.core;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes resources in reverse order of their creation, even if some fail to close. Confined to one thread at a time.
 */
final class CloseStack implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(CloseStack.class);

    private final Deque<AutoCloseable> made = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        made.push(resource);
        return resource;
    }

    @Override
    public void close() {
        while (!made.isEmpty()) {
            try {
                made.pop().close();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                LOG.warn("closing failed: {}", e.toString());
            }
        }
    }
}
