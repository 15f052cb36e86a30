package dev.sallyport.server.quickstart;

import java.net.URI;
import java.util.Map;

/**
 * A request as a workload sends it, and what should come of it.
 *
 * @param title what it shows
 * @param headers that it sends beside the usual ones
 * @param status what the workload gets
 * @param action what the audit log says
 * @param sign a word that the answer and the audit record both explain themselves with; may be empty
 */
record Visit(String title, URI url, Map<String, String> headers, int status, String action, String sign) {

    Visit {
        headers = Map.copyOf(headers);
    }
}
