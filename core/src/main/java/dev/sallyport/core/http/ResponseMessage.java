package dev.sallyport.core.http;

import dev.sallyport.spi.ResponseHead;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The head of a response, as it is being edited. Owned by one exchange; not thread-safe. */
public final class ResponseMessage implements ResponseHead {

    /** A body whose length is not declared. */
    public static final long UNKNOWN_LENGTH = -1;

    private int status;
    private String reason;
    private final HeaderBlock headers;
    private long length;
    private List<String> tolerated = List.of();

    /**
     * @param reason the reason phrase; empty where the protocol has none
     * @param length bytes of the body that follows; 0 for none, {@link #UNKNOWN_LENGTH} when not declared
     */
    public ResponseMessage(int status, String reason, HeaderBlock headers, long length) {
        this.status = status;
        this.reason = reason;
        this.headers = headers;
        this.length = length;
    }

    @Override
    public int status() {
        return status;
    }

    @Override
    public String reason() {
        return reason;
    }

    @Override
    public HeaderBlock headers() {
        return headers;
    }

    @Override
    public OptionalLong contentLength() {
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    /** Whether this response has a body, possibly empty, in reply to any request but HEAD. */
    public boolean mayHaveBody() {
        return mayHaveBody(status);
    }

    /**
     * Whether a response of this status has a body, possibly empty, in reply to any request but HEAD (RFC 9110, 6.4.1).
     */
    public static boolean mayHaveBody(int status) {
        return status >= 200 && status != 204 && status != 304;
    }

    /** As {@link #contentLength()}, but {@link #UNKNOWN_LENGTH} when not declared. */
    public long length() {
        return length;
    }

    /** Sets status and reason phrase. */
    public void status(int newStatus, String newReason) {
        status = newStatus;
        reason = newReason;
    }

    /** Sets the length of the body. */
    public void length(long newLength) {
        length = newLength;
    }

    /** Notes by its code what was put right in what the origin sent (docs/spec/decisions.md, section 20). */
    public void tolerate(String code) {
        if (tolerated.isEmpty()) {
            tolerated = new ArrayList<>(2);
        }
        if (!tolerated.contains(code)) {
            tolerated.add(code);
        }
    }

    /** The codes of what was put right; usually none. */
    public List<String> tolerated() {
        return tolerated;
    }

    /** A copy that later edits do not affect. */
    public ResponseMessage copy() {
        ResponseMessage copy = new ResponseMessage(status, reason, headers.copy(), length);
        tolerated.forEach(copy::tolerate);
        return copy;
    }
}
