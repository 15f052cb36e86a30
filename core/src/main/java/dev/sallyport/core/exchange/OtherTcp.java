package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Destination;

/** TCP in which neither HTTP nor TLS is spoken (docs/spec/decisions.md, section 15a, "Egress"). */
public enum OtherTcp implements PassedProtocol {

    /** There is nothing more to say of it. */
    INSTANCE;

    static final Refusal REFUSED =
            new Refusal(400, "unknown_protocol", "Neither TLS nor HTTP is spoken here.", "http_request_error");

    static final Refusal REQUEST_SEEN = new Refusal(
            400,
            "unseen_request",
            "HTTP or TLS is not relayed unseen, where something else began.",
            "http_request_error");

    @Override
    public boolean isPassedBy(Generation generation, Destination destination) {
        return generation.relays(destination);
    }

    @Override
    public void note(MutableAuditRecord record, boolean editsIgnored) {}
}
