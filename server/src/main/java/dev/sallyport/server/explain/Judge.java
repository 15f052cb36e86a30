package dev.sallyport.server.explain;

import dev.sallyport.core.explain.ExplainRequest;
import dev.sallyport.core.explain.Explanation;
import dev.sallyport.core.explain.InvalidRequestException;

/** Explains requests: a running proxy, or a configuration alone. */
public interface Judge {

    /**
     * Explains a request. Blocks.
     *
     * @throws InvalidRequestException when the configuration has no such user
     */
    Explanation explain(ExplainRequest request) throws InvalidRequestException, InterruptedException;
}
