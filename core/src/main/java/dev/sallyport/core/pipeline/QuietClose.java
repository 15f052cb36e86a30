package dev.sallyport.core.pipeline;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes a resource and logs its failure, so that others are closed too. */
final class QuietClose {

    private static final Logger LOG = LoggerFactory.getLogger(QuietClose.class);

    private QuietClose() {}

    static void quietly(String owner, AutoCloseable resource) {
        try {
            resource.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.warn("transform {}: closing failed: {}", owner, e.getClass().getName());
        }
    }
}
