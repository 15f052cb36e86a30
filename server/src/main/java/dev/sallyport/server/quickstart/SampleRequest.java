package dev.sallyport.server.quickstart;

import java.net.URI;
import java.util.Map;

/**
 * A request of a workload, and the expected outcome.
 *
 * @param title what it demonstrates
 * @param headers headers in addition to the usual ones
 * @param status the status that the workload gets
 * @param action the action in the audit log
 * @param sign a word that both the answer and the audit record contain; may be empty
 */
record SampleRequest(String title, URI url, Map<String, String> headers, int status, String action, String sign) {

    SampleRequest {
        headers = Map.copyOf(headers);
    }
}
