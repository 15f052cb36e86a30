package dev.sallyport.core.exchange;

import dev.sallyport.core.audit.MutableAuditRecord;
import dev.sallyport.core.pipeline.Generation;
import dev.sallyport.spi.Destination;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The facts about the ClientHello of a connection that is passed through.
 *
 * @param ech whether it has an extension encrypted_client_hello, which is often grease; the outer name is judged
 */
public record ClientHelloFacts(boolean ech) implements PassedProtocol {

    static final String MODE = "sni-only";

    @Override
    public boolean isPassedBy(Generation generation, Destination destination) {
        return true;
    }

    /** Marks a record as that of a connection whose content the proxy did not see. */
    @Override
    public void note(MutableAuditRecord record, boolean editsIgnored) {
        record.mode(MODE);
        if (ech || editsIgnored) {
            Map<String, Object> notes = new LinkedHashMap<>(4);
            if (ech) {
                notes.put("ech", true);
            }
            if (editsIgnored) {
                notes.put("edits_ignored", true);
            }
            record.group("tls", notes);
        }
    }
}
