package dev.sallyport.core.upstream;

import java.time.Duration;

/**
 * How long an origin may keep an exchange waiting.
 *
 * @param head the limit on the wait for the final head, from the last byte of the request; interim heads do not
 *     restart it
 * @param body the limit on the wait for any progress of a request body, until the final head
 * @param headSetting the setting that has the first limit, for messages
 */
public record OriginTimeouts(Duration head, Duration body, String headSetting) {

    /** The setting that has {@link #body}. */
    public static final String BODY_SETTING = "proxy.upstream.request_body_timeout";

    /** The usual limits. */
    public OriginTimeouts(Duration head, Duration body) {
        this(head, body, "proxy.upstream_response_header_timeout");
    }
}
